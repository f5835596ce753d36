import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log, RunningServer } from '@portico/cli/serve';
import { withLongTimeouts } from '@portico/demo/environment';
import { reservePort } from '@portico/demo/ports';
import { type FormBrowser, formBrowser, type Sandbox, startSandbox } from '@portico/sandbox';
import { serveHere } from '../command-line/serve-here.ts';

type Send = (url: string, init: RequestInit) => Promise<Response>;

export interface SessionPortalOptions {
  /** How many instances are served. Default: 1. */
  readonly instances?: number;
  /** The URL of the portal for browsers. Default: that of the first instance. */
  readonly publicUrl?: string;
  /** The portal authenticates with a key (`private_key_jwt`). Default: with a secret. */
  readonly hasKey?: boolean;
  /** Stores sessions in this Redis. Default: in cookies. */
  readonly redisUrl?: string;
  /** Serves the pages of this folder. Default: no pages. */
  readonly pages?: string;
}

/** A response to the browser, with everything in it that a script or an extension could read. */
interface SeenResponse {
  readonly url: string;
  readonly text: string;
}

/** The sandbox, and instances of `portico serve` with browser sessions in this process. */
export interface SessionPortal {
  readonly sandbox: Sandbox;
  /** The URLs of the instances. */
  readonly urls: readonly string[];
  /** The URL for browsers. */
  readonly url: string;
  readonly log: readonly string[];
  /** The metrics of every instance. */
  metrics(): Promise<string>;
  /** All responses of the portal to browsers: headers except `Set-Cookie`, and bodies. */
  readonly seen: readonly SeenResponse[];
  /** A browser, signed in as this member. `send` sends its requests. */
  signedIn(username?: string, send?: Send): Promise<FormBrowser>;
  close(): Promise<void>;
}

export const startSessionPortal = async ({
  instances = 1,
  publicUrl,
  redisUrl,
  hasKey = false,
  pages,
}: SessionPortalOptions = {}): Promise<SessionPortal> => {
  const ports: number[] = [];
  for (let count = 0; count < instances; count++) ports.push(await reservePort());
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const url = publicUrl ?? urls[0]!;
  const client = hasKey
    ? clientWithKey()
    : { settings: { id: 'portico-portal', secret: 'portal-secret' }, publicKey: undefined };
  const sandbox = await startSandbox({
    callbackDelayMs: [5, 20],
    redirectUris: [`${url}/`],
    identity: {
      backchannelLogoutUrl: `${urls[0]}/session/backchannel-logout`,
      ...(client.publicKey && { portalKey: client.publicKey }),
    },
  });
  const log: string[] = [];
  const recorder: Log = Object.assign((...line: unknown[]) => void log.push(JSON.stringify(line)), { flush: () => {} });
  const key = randomBytes(32).toString('base64url');
  const servers: RunningServer[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
    await sandbox.close();
  };
  try {
    for (const port of ports) {
      const values = settingsOf(sandbox, { port, url, key, redisUrl, pages, client: client.settings });
      servers.push(await serveHere(values, recorder));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const seen: SeenResponse[] = [];
  return {
    sandbox,
    urls,
    url,
    log,
    metrics: async () => {
      const listeners = log.flatMap((line) => /http:[^"]+\/metrics/.exec(line) ?? []);
      return (await Promise.all(listeners.map(async (listener) => (await fetch(listener)).text()))).join('\n');
    },
    seen,
    signedIn: async (username = 'member-a', send = fetch) => {
      const browser = formBrowser(recording(send, [...urls, url], seen));
      const { password } = sandbox.members.find((member) => member.username === username)!;
      await browser.signIn(`${url}/session/login?return_to=/livez`, { username, password });
      return browser;
    },
    close,
  };
};

/** The client of the sandbox that has a key, and its key in a file until the end of the tests. */
const clientWithKey = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const folder = mkdtempSync(join(tmpdir(), 'portico-key-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const privateKeyFile = join(folder, 'portal.pem');
  writeFileSync(privateKeyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return {
    settings: { id: 'portico-portal-jwt', privateKeyFile },
    publicKey: { ...publicKey.export({ format: 'jwk' }), alg: 'ES256' },
  };
};

interface InstanceSettings {
  readonly port: number;
  readonly url: string;
  readonly key: string;
  readonly redisUrl: string | undefined;
  readonly pages: string | undefined;
  readonly client: object;
}

const settingsOf = (sandbox: Sandbox, { port, url, key, redisUrl, pages, client }: InstanceSettings): object => {
  const { search: _unused, ...base } = sandbox.settings(url) as Readonly<Record<string, object>>;
  return withLongTimeouts({
    ...base,
    listen: { port, publicUrl: url },
    identity: { ...base['identity'], client },
    session: { keys: [key], store: redisUrl === undefined ? 'cookie' : 'redis' },
    redis: { url: redisUrl ?? null },
    metrics: { port: 0 },
    ...(pages !== undefined && { pages: { directory: pages } }),
  });
};

/** Keeps what the portal sends, as the browser sees it. Cookies that scripts cannot read are left out. */
const recording =
  (send: Send, portals: readonly string[], seen: SeenResponse[]): Send =>
  async (url, init) => {
    const response = await send(url, init);
    if (!portals.some((portal) => url.startsWith(`${portal}/`))) return response;
    const headers = [...response.headers].filter(([name]) => name !== 'set-cookie');
    seen.push({ url, text: JSON.stringify(headers) + (await response.clone().text()) });
    return response;
  };
