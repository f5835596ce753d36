import { createServer } from 'node:http';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Environment, startEnvironment } from '@portico/demo/environment';
import { listening, reservePort } from '@portico/demo/ports';

/** A service that records the credentials of its requests. */
const received: { readonly url: string; readonly authorization: string; readonly key: string }[] = [];
const recorder = createServer((request, response) => {
  const { authorization = 'none', 'x-api-key': key = 'none' } = request.headers;
  received.push({ url: request.url ?? '', authorization, key: String(key) });
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

let environment: Environment;
let metricsPort: number;

beforeAll(async () => {
  const { url: recorderUrl } = await listening(recorder);
  environment = await startEnvironment({
    settings: async ({ services }) => ({
      identity: { client: { id: 'portico-server', secret: { env: 'CLIENT_SECRET' } } },
      downstreams: {
        claims: { url: services.claims.url, credentials: { kind: 'token-exchange', audience: 'claims' } },
        policy: { url: recorderUrl, credentials: { kind: 'client-credentials' } },
        consent: { url: recorderUrl, credentials: 'none', headers: { 'x-api-key': 'canary-key' } },
        eligibility: { url: recorderUrl, credentials: { kind: 'token-exchange', audience: 'eligibility' } },
        documents: { url: recorderUrl, credentials: { kind: 'token-exchange', audience: 'payroll' } },
      },
      metrics: { port: (metricsPort = await reservePort()) },
    }),
    env: { CLIENT_SECRET: 'server-secret' },
  });
});
afterAll(async () => {
  await environment.close();
  recorder.close();
});

const claimsIn = (url: string) => {
  const found = received.find((request) => request.url === url);
  return decodeJwt(found?.authorization.replace('Bearer ', '') ?? '');
};

describe('a service with its own credentials', () => {
  it('a service accepts a token that was exchanged for it, and only of the same member', async () => {
    const [one, other] = await Promise.all(['member-a', 'member-b'].map((name) => environment.as(name)));
    const claims = await Promise.all([one, other, one, other].map(async (get) => (await get!('/me/claims')).json()));
    expect(claims[0]).toEqual(claims[2]);
    expect(claims[1]).toEqual(claims[3]);
    expect(JSON.stringify(claims[0])).toContain('CLM-1001');
    expect(JSON.stringify(claims[1])).not.toContain('CLM-1001');
  });

  it('a service receives the token of the member for its audience', async () => {
    const get = await environment.as('member-a');
    expect((await get('/me/coverage')).status).toBe(200);
    expect(claimsIn('/members/PTY-1001/coverage')).toMatchObject({
      aud: 'eligibility',
      sub: 'member-a',
      client_id: 'portico-server',
    });
  });

  it('a service receives the token of Portico, which names no member', async () => {
    const get = await environment.as('member-a');
    expect((await get('/me/profile')).status).toBe(200);
    const claims = claimsIn('/parties/PTY-1001');
    expect(claims).toMatchObject({ sub: 'portico-server' });
    expect(claims).not.toHaveProperty('partyLocator');
  });

  it('a service receives an API key and no token', async () => {
    const get = await environment.as('member-a');
    expect((await get('/me/consent')).status).toBe(200);
    expect(received.at(-1)).toEqual({ url: '/consent/PTY-1001', authorization: 'none', key: 'canary-key' });
  });

  it('a service that the identity provider does not know is a failure of the identity provider', async () => {
    const response = await (await environment.as('member-a'))('/me/documents');
    expect([response.status, await response.json()]).toMatchObject([502, { service: 'identity', reason: 'status' }]);
  });
});

describe('an outage of the identity provider', () => {
  it('fails the requests of members without a kept token only; a refused token is 401', async () => {
    const [warm, cold, refused] = await Promise.all(
      ['member-a', 'member-b', 'member-b'].map((name) => environment.as(name)),
    );
    expect((await warm!('/me/coverage')).status).toBe(200);
    await environment.sandbox.identity.stop();
    expect((await warm!('/me/coverage')).status).toBe(200);
    const failed = await cold!('/me/coverage');
    expect([failed.status, await failed.json()]).toMatchObject([502, { service: 'identity', reason: 'unreachable' }]);

    // With a new key, the provider no longer accepts the tokens that it issued before; Portico still knows their key.
    await environment.sandbox.identity.rotateKeys();
    await environment.sandbox.identity.start();
    const response = await refused!('/me/coverage');
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'unauthenticated' }]);
    await expect.poll(() => environment.log()).toContain('"reason":"exchange"');
  });
});

it('no credentials are in the log or the metrics', async () => {
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toContain('portico_downstream_calls_total{service="identity",outcome="ok"}');
  const tokens = received.map(({ authorization }) => authorization.slice(-40));
  for (const secret of ['server-secret', 'canary-key', ...tokens.filter((token) => token !== 'none')])
    expect(environment.log() + metrics).not.toContain(secret);
});
