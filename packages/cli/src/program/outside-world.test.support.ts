import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'vitest';

type Test = Pick<TestContext, 'onTestFinished'>;

/** A web server on loopback that lives as long as the test; `asked` resolves with the first request. */
export const webServer = async (
  { onTestFinished }: Test,
  answer: (response: ServerResponse, request: IncomingMessage) => void,
) => {
  const heard: string[] = [];
  const asked = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    answer(response, request);
    asked.resolve();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    asked: asked.promise,
  };
};

export const sendJson = (response: ServerResponse, body: unknown): void => {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(body));
};

/** An identity provider that publishes one key, and the tokens it issues. */
export const identityProvider = async (test: Test) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256', use: 'sig' };
  const { url: issuer, heard } = await webServer(test, (response, { url }) =>
    sendJson(response, url === '/keys' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }),
  );
  return {
    issuer,
    heard,
    jwksUrl: `${issuer}/keys`,
    /** A signed token (JWS compact, RFC 7515) that a member may use for five minutes. */
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

/** The environment of a portico whose services are all at one address. */
export const memberEnvironment = (issuer: string, serviceUrl: string): Record<string, string> => ({
  IDENTITY_ISSUER: issuer,
  ...Object.fromEntries(services.map((name) => [`${name.toUpperCase()}_URL`, `${serviceUrl}/${name}`])),
});

export const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** What a network was asked: the envelope as it came, and its signature. */
export interface Asked {
  readonly body: string;
  readonly authorization: string | undefined;
  readonly context: Readonly<Record<string, unknown>>;
}

/** A network that acknowledges every search, and whose seller then calls back at the address it is told. */
export const becknNetwork = async (test: Test, callbackUrl: Promise<string> | undefined, name = 'A policy') => {
  const asked: Asked[] = [];
  /** What our side said to each callback. */
  const answers: Promise<readonly [status: number, body: unknown]>[] = [];
  const callBack = async (url: Promise<string>, { context }: Asked) => {
    const response = await fetch(await url, {
      method: 'POST',
      body: JSON.stringify({
        context: { ...context, action: 'on_search', bpp_id: 'bpp.example' },
        message: { catalog: { providers: [{ descriptor: { name }, items: [] }] } },
      }),
    });
    return [response.status, await response.json()] as const;
  };
  const { url, heard } = await webServer(test, (response, request) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { context } = JSON.parse(body) as Pick<Asked, 'context'>;
      const one = { body, authorization: request.headers.authorization, context };
      asked.push(one);
      sendJson(response, { message: { ack: { status: 'ACK' } } });
      if (callbackUrl) answers.push(callBack(callbackUrl, one));
    });
  });
  return { url, heard, asked, answers };
};

/** A leg whose gateway is at this address. */
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
