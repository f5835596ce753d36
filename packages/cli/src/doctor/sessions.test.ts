import { systemClock } from '@portico/core/system';
import { expect, it, onTestFinished } from 'vitest';
import { serviceEnvironment, sendJson, webServer } from '../program/outside-world.test.support.ts';
import { settingsOf } from '../settings/settings-file.test.support.ts';
import { checkRunner } from './check.ts';
import { examine } from './doctor.ts';

const test = { onTestFinished };

const complete = {
  authorization_endpoint: 'https://id.example/auth',
  token_endpoint: 'https://id.example/token',
  end_session_endpoint: 'https://id.example/logout',
  revocation_endpoint: 'https://id.example/revoke',
  code_challenge_methods_supported: ['plain', 'S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic'],
  backchannel_logout_supported: true,
};

/** The line about sessions, for a provider with this discovery document. With `null`, there are no sessions. */
const lineFor = async (document: object, session: object | null = {}) => {
  const provider = await webServer(test, (response) => sendJson(response, { issuer: provider.url, ...document }));
  const env = serviceEnvironment(provider.url);
  const values = {
    listen: { publicUrl: 'http://127.0.0.1:8080' },
    identity: { issuer: provider.url, client: { id: 'portal', secret: 'canary' } },
    ...(session && { session: { keys: ['ab'.repeat(32)], ...session } }),
    redis: { url: 'redis://127.0.0.1:9' },
  };
  const check = checkRunner(systemClock, new AbortController().signal, 600_000);
  const { checks } = await examine(settingsOf({ values, env }), undefined, systemClock, check);
  const line = checks.find(({ name }) => name === 'browser sessions');
  return line && { outcome: line.outcome, detail: line.detail };
};

it.each([
  ['everything', {}, {}, 'sign-in with PKCE; sign-out at the provider'],
  [
    'everything, with Redis',
    {},
    { store: 'redis' },
    'sign-in with PKCE; sign-out at the provider; back-channel logout',
  ],
  [
    'no sign-out',
    { end_session_endpoint: undefined, revocation_endpoint: undefined, backchannel_logout_supported: false },
    { store: 'redis' },
    'sign-in with PKCE; no end_session_endpoint, so members stay signed in at the provider; no revocation_endpoint, so refresh tokens end with their lifetime; no back-channel logout',
  ],
  [
    'a sign-out page with parameters of its own, with logoutUrl',
    { end_session_endpoint: 'https://example.okta.com/oauth2/default/v1/logout' },
    { logoutUrl: 'https://example.okta.com/login/signout' },
    'sign-in with PKCE; sign-out at the provider',
  ],
  [
    'no lists',
    { code_challenge_methods_supported: undefined, token_endpoint_auth_methods_supported: undefined },
    {},
    'sign-in with PKCE; sign-out at the provider',
  ],
])('portico doctor reports what a provider offers to sessions: %s', async (_, document, session, detail) => {
  expect(await lineFor({ ...complete, ...document }, session)).toEqual({ outcome: 'ok', detail });
});

it.each([
  [{ issuer: 'https://id.example' }, 'the discovery document does not name identity.issuer'],
  [{ authorization_endpoint: undefined }, 'the discovery document has no authorization_endpoint'],
  [{ code_challenge_methods_supported: ['plain'] }, 'the provider does not list PKCE with S256'],
  [
    { token_endpoint_auth_methods_supported: ['private_key_jwt'] },
    'the provider does not list the client authentication client_secret_basic',
  ],
  [
    { end_session_endpoint: 'https://members.auth.us-east-1.amazoncognito.com/logout' },
    'the sign-out page of this provider does not accept the standard parameters',
  ],
  [
    { end_session_endpoint: 'https://example.okta.com/oauth2/default/v1/logout' },
    'the sign-out page of this provider does not accept the standard parameters',
  ],
])('portico doctor refuses a provider whose sign-in or sign-out cannot work: %j', async (document, detail) => {
  expect(await lineFor({ ...complete, ...document })).toEqual({ outcome: 'failed', detail });
});

it('portico doctor does not look for sessions without their settings', async () => {
  expect(await lineFor(complete, null)).toBeUndefined();
});
