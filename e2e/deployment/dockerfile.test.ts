import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { instructionsOf } from './dockerfile.ts';
import { isInstalled } from './installed-tool.ts';
import { project, projectFile } from '../project-file.ts';

it('the Dockerfile copies the package.json of every package, and no source, before it installs dependencies', () => {
  const instructions = instructionsOf(projectFile('docs/deploy/Dockerfile'));
  const install = instructions.findIndex(({ text }) => text.startsWith('npm ci'));
  const copied = instructions
    .slice(0, install)
    .filter(({ name }) => name === 'COPY')
    .map(({ text }) => text);
  const packages = globSync('packages/*/package.json', { cwd: project }).toSorted();
  expect(copied).toEqual([
    'package.json package-lock.json tsconfig.base.json ./',
    ...packages.map((path) => `${path} ${dirname(path)}/`),
  ]);
});

it('the Dockerfile makes all that it copies into the image readable for its user', () => {
  const instructions = instructionsOf(projectFile('docs/deploy/Dockerfile'));
  const copied = instructions.flatMap(({ name, text }) => {
    const [, path] = /^--from=build \/portico\/(\S+) /.exec(text) ?? [];
    return name === 'COPY' && path !== undefined ? [path] : [];
  });
  const lastRun = instructions.findLast(({ name }) => name === 'RUN');
  expect(lastRun?.text).toContain(`&& chmod -R go+rX ${copied.join(' ')}`);
});

describe.skipIf(!isInstalled('openssl'))('the health check of the page for an image that serves HTTPS', () => {
  it.each([
    [200, 0],
    [503, 1],
  ])('exits after the status %d with %d', async (status, exitCode) => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-health-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
    const subject = ['-subj', '/CN=portal.example.com', '-keyout', key, '-out', cert];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', ...subject],
      { stdio: 'ignore' },
    );
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, ({ url }, response) => {
      response.writeHead(url === '/livez' ? status : 404).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const env = { ...process.env, PORT: String((server.address() as AddressInfo).port) };
    const [command = ''] = /^node -e .*$/m.exec(projectFile('docs/how-to/docker.md')) ?? [];
    const [code] = (await once(spawn('sh', ['-c', command], { env, stdio: 'inherit' }), 'exit')) as [number];
    expect(code).toBe(exitCode);
  });
});
