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
