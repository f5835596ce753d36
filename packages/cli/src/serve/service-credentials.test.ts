import { generateKeyPairSync } from 'node:crypto';
import { aMember } from '@portico/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  bearer,
  identityProvider,
  memberEnvironment,
  sendJson,
  webServer,
} from '../program/outside-world.test.support.ts';
import { settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';
import { compose } from './compose.ts';
import { listening } from './running-server.test.support.ts';
import { serviceCredentials } from './service-credentials.ts';
import { signInProvider } from '../settings/sections/identity-schema.ts';

const test = { onTestFinished };

interface TokenRequest {
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, string>>;
}

/** A token endpoint that issues `<grant>-<nth>`, or refuses with this error. */
const tokenServer = async (error?: string) => {
  const requests: TokenRequest[] = [];
  const { url } = await webServer(test, (response, request) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      requests.push({ authorization: request.headers.authorization, form });
      if (error !== undefined) response.statusCode = 400;
      const grant = form['grant_type']?.split(':').at(-1);
      sendJson(
        response,
        error === undefined ? { access_token: `${grant}-${requests.length}`, expires_in: 300 } : { error },
      );
    });
  });
  return { url, requests };
};

/** A server in this process whose services report the credentials that they receive. */
const portal = async (downstreams: object, client: object = { id: 'portico', secret: 'a secret' }, error?: string) => {
  const identity = await identityProvider(test);
  const tokens = await tokenServer(error);
  const service = await webServer(test, (response, { headers }) =>
    sendJson(response, { authorization: headers.authorization ?? null, key: headers['x-api-key'] ?? null }),
  );
  const { settings } = settingsOf({
    flags: { '--config': settingsFile({ identity: { client }, downstreams }) },
    env: { ...memberEnvironment(identity.issuer, service.url), IDENTITY_TOKEN_URL: tokens.url },
  });
  const container = compose(settings);
  const url = await listening(test, container);
  const get = async (path: string, token = identity.token()) => {
    const response = await fetch(url + path, bearer(token));
    return [response.status, await response.json()] as const;
  };
  return { identity, tokens, get };
};

describe('serve', () => {
  it("sends each service the credentials of its settings, and the member's token to all others", async () => {
    const { get, identity, tokens } = await portal({
      eligibility: { credentials: { kind: 'token-exchange', audience: 'eligibility', scope: 'read' } },
      claims: { credentials: { kind: 'client-credentials', audience: 'claims' } },
      policy: { credentials: 'none', headers: { 'x-api-key': 'key' } },
      consent: { headers: { 'x-api-key': 'key' } },
    });
    const token = identity.token();
    const own = `Bearer ${token}`;
    expect(await get('/me/coverage', token)).toEqual([200, { authorization: 'Bearer token-exchange-1', key: null }]);
    expect(await get('/me/claims', token)).toEqual([200, { authorization: 'Bearer client_credentials-2', key: null }]);
    expect(await get('/me/profile', token)).toEqual([200, { authorization: null, key: 'key' }]);
    expect(await get('/me/consent', token)).toEqual([200, { authorization: own, key: 'key' }]);
    expect(await get('/me/documents', token)).toEqual([200, { authorization: own, key: null }]);
    const authorization = `Basic ${btoa('portico:a+secret')}`;
    expect(tokens.requests).toMatchObject([
      { authorization, form: { subject_token: token, audience: 'eligibility', scope: 'read' } },
      { authorization, form: { grant_type: 'client_credentials', audience: 'claims' } },
    ]);
  });

  it('requests one token for all routes of a service', async () => {
    const { get, identity, tokens } = await portal({ eligibility: { credentials: { kind: 'token-exchange' } } });
    const token = identity.token();
    await Promise.all([get('/me/coverage', token), get('/me/accumulators', token)]);
    await get('/me/coverage', token);
    expect(tokens.requests.length).toBe(1);
  });

  it('authenticates with the secret in the form', async () => {
    const client = { id: 'portico', secret: 's', method: 'client_secret_post' };
    const { get, tokens } = await portal({ claims: { credentials: { kind: 'client-credentials' } } }, client);
    await get('/me/claims');
    expect(tokens.requests).toMatchObject([
      { authorization: undefined, form: { client_id: 'portico', client_secret: 's' } },
    ]);
  });

  it('authenticates with a private key', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const client = { id: 'portico', privateKeyFile: settingsFile(pem) };
    const { get, tokens, identity } = await portal({ claims: { credentials: { kind: 'client-credentials' } } }, client);
    await get('/me/claims');
    const [, payload = ''] = tokens.requests[0]?.form['client_assertion']?.split('.') ?? [];
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      iss: 'portico',
      sub: 'portico',
      aud: identity.issuer,
    });
  });

  it("responds with 401 when the identity provider refuses the member's token", async () => {
    const { get } = await portal({ claims: { credentials: { kind: 'token-exchange' } } }, undefined, 'invalid_grant');
    expect(await get('/me/claims')).toMatchObject([401, { code: 'unauthenticated' }]);
    expect((await get('/me/consent'))[0]).toBe(200);
  });

  it.each(['token-exchange', 'client-credentials'])(
    'responds with 502 of identity when the identity provider refuses the client: %s',
    async (kind) => {
      const { get } = await portal({ claims: { credentials: { kind } } }, undefined, 'invalid_client');
      expect(await get('/me/claims')).toMatchObject([502, { service: 'identity', reason: 'status' }]);
    },
  );
});

describe('several identity providers', () => {
  it("exchange their own members' tokens, and the first one with a client issues Portico's own", async () => {
    const servers = [await tokenServer(), await tokenServer()] as const;
    const providers = servers.map((server, nth) => {
      const file = { identity: { client: { id: `portico-${nth}`, secret: 's' } } };
      const issuer = `https://issuer-${nth}.test`;
      const env = { ...memberEnvironment(issuer, 'https://service.test'), IDENTITY_TOKEN_URL: server.url };
      return signInProvider(settingsOf({ flags: { '--config': settingsFile(file) }, env }).settings)!;
    });
    const payload = Buffer.from('{"iss":"https://issuer-1.test"}').toString('base64url');
    const member = aMember('PTY-1', `e30.${payload}.c2ln`);
    const credentialsOf = serviceCredentials(providers, {}, {});
    expect((await credentialsOf({ kind: 'token-exchange' }).for(member)).isOk()).toBe(true);
    expect((await credentialsOf({ kind: 'client-credentials' }).for(member)).isOk()).toBe(true);
    expect(servers.map(({ requests }) => requests.map(({ form }) => form['grant_type']))).toEqual([
      ['client_credentials'],
      ['urn:ietf:params:oauth:grant-type:token-exchange'],
    ]);
  });
});
