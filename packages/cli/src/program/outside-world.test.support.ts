import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort, { portNumbers } from 'get-port';
import type { TestContext } from 'vitest';

export type Test = Pick<TestContext, 'onTestFinished'>;

/** Creates a directory that is removed after the test. */
export const directory = ({ onTestFinished }: Test): string => {
  const path = mkdtempSync(join(tmpdir(), 'portico-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return path;
};

/** Listens on loopback until the end of the test, and returns the URL. */
export const listenOnLoopback = async ({ onTestFinished }: Test, server: Server): Promise<string> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** A port on which nothing listens, below the ephemeral range: the system does not give it to other servers. */
export const freePort = (): Promise<number> =>
  getPort({ reserve: true, host: '127.0.0.1', port: portNumbers(20_000 + Math.floor(Math.random() * 9000), 29_999) });

/**
 * A port on which nothing listens. A free port could be taken by another test in the meantime; `fetch` refuses port 1
 * without a connection.
 */
export const closedPort = 2;

/** Starts a web server on loopback for the duration of the test. `firstRequest` resolves at the first request. */
export const webServer = async (test: Test, handle: (response: ServerResponse, request: IncomingMessage) => void) => {
  const received: string[] = [];
  const firstRequest = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    handle(response, request);
    firstRequest.resolve();
  });
  return { url: await listenOnLoopback(test, server), received, firstRequest: firstRequest.promise };
};

export const sendJson = (response: ServerResponse, body: unknown): void => {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(body));
};

/** Starts an identity provider with one key. */
export const identityProvider = async (test: Test) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256', use: 'sig' };
  const { url: issuer, received } = await webServer(test, (response, { url }) =>
    sendJson(response, url === '/keys' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }),
  );
  return {
    issuer,
    received,
    jwksUrl: `${issuer}/keys`,
    /** Issues a signed token (JWS compact, RFC 7515) that is valid for five minutes. */
    token: (claims: Readonly<Record<string, unknown>> = {}): string => {
      const exp = Math.floor(Date.now() / 1000) + 300;
      const input = [
        { alg: 'ES256', kid: 'k1' },
        { iss: issuer, aud: 'portico', sub: 'PTY-1', exp, ...claims },
      ]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${input}.${signature.toString('base64url')}`;
    },
  };
};

const services = ['eligibility', 'claims', 'documents', 'policy', 'notifications', 'consent'] as const;

/** Environment variables that give all services one URL. */
export const serviceEnvironment = (serviceUrl: string): Record<string, string> =>
  Object.fromEntries(services.map((name) => [`${name.toUpperCase()}_URL`, `${serviceUrl}/${name}`]));

/**
 * Environment variables for a portico whose services all have one URL. No test reaches these timeouts: neither does a slow
 * machine, and a command that ends did not wait for them.
 */
export const memberEnvironment = (issuer: string, serviceUrl: string): Record<string, string> => ({
  IDENTITY_ISSUER: issuer,
  IDENTITY_TIMEOUT_MS: '600000',
  DOWNSTREAM_TIMEOUT_MS: '600000',
  ...serviceEnvironment(serviceUrl),
});

export const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** A search request that a network received. */
export interface ReceivedSearch {
  readonly body: string;
  readonly authorization: string | undefined;
  readonly context: Readonly<Record<string, unknown>>;
}

/** Starts a network that acknowledges every search. With `callbackUrl`, its seller then calls back there. */
export const becknNetwork = async (test: Test, callbackUrl: Promise<string> | undefined, name = 'A policy') => {
  const requests: ReceivedSearch[] = [];
  /** The responses to the callbacks. */
  const responses: Promise<readonly [status: number, body: unknown]>[] = [];
  const callBack = async (url: Promise<string>, { context }: ReceivedSearch) => {
    const response = await fetch(await url, {
      method: 'POST',
      body: JSON.stringify({
        context: { ...context, action: 'on_search', bpp_id: 'bpp.example' },
        message: { catalog: { providers: [{ descriptor: { name }, items: [] }] } },
      }),
    });
    return [response.status, await response.json()] as const;
  };
  const { url, received } = await webServer(test, (response, request) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { context } = JSON.parse(body) as Pick<ReceivedSearch, 'context'>;
      const search = { body, authorization: request.headers.authorization, context };
      requests.push(search);
      sendJson(response, { message: { ack: { status: 'ACK' } } });
      if (callbackUrl) responses.push(callBack(callbackUrl, search));
    });
  });
  return { url, received, requests, responses };
};

/** Settings of a leg with this gateway. */
export const legAt = (gatewayUrl: string, differences: Readonly<Record<string, unknown>> = {}) => ({
  label: 'A network',
  domain: 'schemes:health',
  version: '1.1.0',
  city: 'std:080',
  categoryCode: 'HEALTH',
  bapId: 'bap.example',
  bapUri: 'https://bap.example',
  gatewayUrl,
  gatewayPath: '/search',
  ttl: 'PT10M',
  ...differences,
});

export const searchFor = (url: string, query = 'dental') =>
  fetch(`${url}/api/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ persona: 'member', query, user_id: 'u-1' }),
  });
