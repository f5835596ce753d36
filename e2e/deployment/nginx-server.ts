import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { reservePort } from '@portico/demo/ports';
import { toolEnvironment } from './installed-tool.ts';
import { blockOf } from '../project-file.ts';

const hostName = 'portal.example.com';

interface Request extends RequestOptions {
  readonly headers?: OutgoingHttpHeaders;
}

/** nginx in front of a Portico. */
export interface Nginx {
  /** Sends a request over TLS, verifies the certificate, and resolves when the header has arrived. */
  send(options: Request, body?: string): Promise<IncomingMessage>;
  /** Removes the folders of temporary files: from then on, a request fails if nginx writes its body or its response to disk. */
  removeTemporaryFolders(): void;
  /** What nginx has written to its access log and its error log. */
  logs(): string;
  close(): Promise<void>;
}

/** What has to be different in the configuration of the page so that a test can run it. */
const replacements = (folder: string, port: number, portico: URL): readonly (readonly [string, string])[] => [
  ['server 127.0.0.1:8080 ', `server ${portico.host} `],
  ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
  ['/etc/nginx/portal.crt', join(folder, 'portal.crt')],
  ['/etc/nginx/portal.key', join(folder, 'portal.key')],
  ['/var/log/nginx/error.log', join(folder, 'error.log')],
];

const configuration = (folder: string, port: number, portico: URL): string => {
  let block = blockOf('docs/how-to/nginx.md', 'nginx');
  for (const [from, to] of replacements(folder, port, portico)) {
    if (!block.includes(from)) throw new Error(`The configuration in docs/how-to/nginx.md does not contain ${from}`);
    block = block.replace(from, to);
  }
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    pid ${folder}/nginx.pid;
    error_log stderr notice;
    events {}
    http {
      access_log ${folder}/access.log;
      client_body_temp_path ${folder}/body;
      proxy_temp_path ${folder}/proxy;
      ${block}
    }`;
};

const createCertificate = (folder: string): void => {
  const files = ['-keyout', join(folder, 'portal.key'), '-out', join(folder, 'portal.crt')];
  const name = ['-subj', `/CN=${hostName}`, '-addext', `subjectAltName=DNS:${hostName}`];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...key, ...files, ...name], { stdio: 'ignore' });
};

/** Runs the configuration of docs/how-to/nginx.md in front of this Portico, on a free port. */
export const startNginx = async (porticoUrl: string): Promise<Nginx> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-nginx-'));
  const port = await reservePort();
  createCertificate(folder);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(folder, port, new URL(porticoUrl)));
  const child = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', file], {
    env: toolEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let log = '';
  const started = new Promise<void>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log += `${line}\n`;
      if (line.includes('start worker process ')) resolve();
    });
  });
  const isRunning = await Promise.race([started.then(() => true), ended.then(() => false)]);
  if (!isRunning) throw new Error(`nginx did not start: ${log}`);
  const ca = readFileSync(join(folder, 'portal.crt'));
  const target = { host: '127.0.0.1', port, servername: hostName, ca, agent: false };
  return {
    send: async ({ headers, ...options }, body) => {
      const outgoing = httpsRequest({ ...target, ...options, headers: { host: hostName, ...headers } });
      outgoing.end(body);
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      return response;
    },
    removeTemporaryFolders: () => {
      for (const name of ['body', 'proxy']) rmSync(join(folder, name), { recursive: true });
    },
    logs: () => log + ['access.log', 'error.log'].map((name) => readFileSync(join(folder, name), 'utf8')).join(''),
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
};
