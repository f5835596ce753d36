import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { dpopTokens } from '@portico/core/inversify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identityProvider, serviceEnvironment, sendJson, webServer } from '../program/outside-world.test.support.ts';
import { settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';
import { composeInstance } from './compose.ts';
import { dpopSettings } from './dpop.ts';
import { redisStatus } from './redis-status.ts';
import { listening } from './running-server.test.support.ts';

const test = { onTestFinished };
const publicUrl = 'https://portal.example/api';

type Provider = Awaited<ReturnType<typeof identityProvider>>;

/** Starts an instance in this process with these identity settings. One server plays all services. */
const instance = async (
  identity: (providers: readonly [Provider, Provider]) => unknown,
  { redisUrl = null as string | null } = {},
) => {
  const providers = [await identityProvider(test), await identityProvider(test)] as const;
  const upstream = await webServer(test, (response, { headers }) => sendJson(response, headers.authorization ?? ''));
  const env = serviceEnvironment(upstream.url);
  const file = { listen: { publicUrl }, identity: identity(providers), redis: { url: redisUrl } };
  const { settings } = settingsOf({ flags: { '--config': settingsFile(file) }, env });
  const container = await composeInstance(settings);
  onTestFinished(() => container.unbindAllAsync());
  const url = await listening(test, container, dpopSettings(settings));
  return {
    providers,
    container,
    settings,
    request: async (authorization: string, { method = 'GET', path = '/me/coverage', dpop = '' } = {}) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization,
          ...(dpop && { dpop }),
          ...(method !== 'GET' && { 'content-type': 'application/json' }),
        },
        ...(method !== 'GET' && { body: '{"type":"dental"}' }),
      });
      return [response.status, await response.json()] as const;
    },
  };
};

describe('several identity providers', () => {
  it('are each accepted with their own claims, clients and scopes', async () => {
    const { providers, request } = await instance(([one, two]) => [
      { issuer: one.issuer, clients: ['web'] },
      { issuer: two.issuer, locatorClaim: 'member', scopes: { read: 'me:read', write: 'me:write' } },
    ]);
    const [one, two] = providers;
    const statusOf = async (token: string, method?: string) =>
      (await request(`Bearer ${token}`, method === undefined ? {} : { method, path: '/me/claims' }))[0];

    expect(await statusOf(one.token({ azp: 'web' }))).toBe(200);
    expect(await statusOf(one.token({ azp: 'app' }))).toBe(401);
    expect(await statusOf(one.token({ azp: 'web', iss: two.issuer }))).toBe(401);
    expect(await statusOf(two.token({ scope: 'me:read' }))).toBe(401);
    expect(await statusOf(two.token({ member: 'PTY-2', scope: 'me:read' }))).toBe(200);
    expect(await statusOf(two.token({ member: 'PTY-2', scope: 'me:read' }), 'POST')).toBe(403);
    expect(await statusOf(two.token({ member: 'PTY-2', scope: 'me:write' }), 'POST')).toBe(201);
    expect(await statusOf(two.token({ member: 'PTY-2' }))).toBe(403);
    expect(await statusOf(one.token({ iss: 'https://three.example', azp: 'web' }))).toBe(401);
  });
});

it('the server refuses the token of a program unless the settings accept it', async () => {
  for (const memberTokensOnly of [true, false]) {
    const { providers, request } = await instance(([{ issuer }]) => ({ issuer, memberTokensOnly }));
    const [status] = await request(`Bearer ${providers[0].token({ sub: 'batch', client_id: 'batch' })}`);
    expect(status).toBe(memberTokensOnly ? 401 : 200);
  }
});

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');

/** A client with a key pair, and the claim that binds a token to it. */
const dpopClient = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' });
  return {
    cnf: { jkt: digest(JSON.stringify({ crv, kty, x, y })) },
    prove: (token: string, path = '/me/coverage', htm = 'GET') => {
      const claims = { jti: randomUUID(), htm, htu: publicUrl + path, iat: Date.now() / 1000, ath: digest(token) };
      const input = [{ typ: 'dpop+jwt', alg: 'ES256', jwk: { crv, kty, x, y } }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      return `${input}.${sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    },
  };
};

describe('a DPoP-bound token', () => {
  it('is accepted with a proof for the public URL, once, and goes downstream as a bearer token', async () => {
    const { providers, request } = await instance(([{ issuer }]) => ({ issuer, dpop: 'accept' }));
    const { cnf, prove } = dpopClient();
    const token = providers[0].token({ cnf });
    const dpop = prove(token);

    expect(await request(`DPoP ${token}`, { dpop })).toEqual([200, `Bearer ${token}`]);
    expect((await request(`DPoP ${token}`, { dpop }))[0]).toBe(401);
    expect((await request(`DPoP ${token}`, { dpop: prove(token, '/me/claims') }))[0]).toBe(401);
    expect((await request(`DPoP ${token}`, { dpop: dpopClient().prove(token) }))[0]).toBe(401);
    expect((await request(`DPoP ${token}`))[0]).toBe(401);
    expect((await request(`Bearer ${token}`, { dpop: prove(token) }))[0]).toBe(401);
    expect((await request(`DPoP ${token}`, { dpop: prove(token) }))[0]).toBe(200);
  });

  it('is required from an issuer with dpop "require", and refused from one without dpop', async () => {
    const { providers, request } = await instance(([one, two]) => [
      { issuer: one.issuer, dpop: 'require' },
      { issuer: two.issuer },
    ]);
    const { cnf, prove } = dpopClient();
    const statuses = async ({ token }: Provider) => {
      const bound = token({ cnf });
      const [withProof] = await request(`DPoP ${bound}`, { dpop: prove(bound) });
      return [withProof, (await request(`Bearer ${bound}`))[0], (await request(`Bearer ${token()}`))[0]];
    };
    expect(await statuses(providers[0])).toEqual([200, 401, 401]);
    expect(await statuses(providers[1])).toEqual([401, 401, 200]);
  });

  it('uses Redis for its proofs if there is one, and reports its state', async () => {
    const redisUrl = 'redis://127.0.0.1:9';
    const { container, settings, providers, request } = await instance(([{ issuer }]) => ({ issuer, dpop: 'accept' }), {
      redisUrl,
    });
    expect(container.get(dpopTokens.replays).degradedReason).toMatch(/^Redis is unreachable/);
    expect(redisStatus(settings, {}, container)?.()).toMatch(/^Redis is unreachable; a DPoP proof/);
    const { cnf, prove } = dpopClient();
    const token = providers[0].token({ cnf });
    const dpop = prove(token);
    expect((await request(`DPoP ${token}`, { dpop }))[0]).toBe(200);
    expect((await request(`DPoP ${token}`, { dpop }))[0]).toBe(401);
  });

  it('does not connect to Redis when DPoP is off', async () => {
    const { container, settings } = await instance(([{ issuer }]) => ({ issuer }), { redisUrl: 'redis://127.0.0.1:9' });
    expect(container.get(dpopTokens.replays).degradedReason).toBeUndefined();
    expect(redisStatus(settings, {}, container)).toBeUndefined();
  });
});
