import { authenticate, insufficientScope, refusedToken } from '@portico/core';
import { fakeClock } from '@portico/core/testing';
import { CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';
import { err } from 'neverthrow';
import { beforeAll, describe, expect, it } from 'vitest';
import { documentedProviders, type DocumentedProvider } from './documented-providers.test.support.ts';
import { httpIdentity } from './identity.ts';

const now = 1_767_225_600;
const providers = Object.entries(documentedProviders);
const { Keycloak, Auth0, Entra, Okta, Cognito } = documentedProviders;

let privateKey: CryptoKey;
let publicKey: JWK;

beforeAll(async () => {
  const pair = await generateKeyPair('RS256', { extractable: true });
  privateKey = pair.privateKey;
  publicKey = await exportJWK(pair.publicKey);
});

/** A token of this provider with other claims; `undefined` removes a claim. */
const tokenOf = ({ header, claims, lifetimeSeconds }: DocumentedProvider, changes: object = {}) =>
  new CompactSign(
    new TextEncoder().encode(JSON.stringify({ iat: now, exp: now + lifetimeSeconds, ...claims, ...changes })),
  )
    .setProtectedHeader({ alg: 'RS256', kid: 'signs', ...header })
    .sign(privateKey);

/** Authenticates with the settings of the provider's how-to. Only the documented URLs respond. */
const authenticated = (provider: DocumentedProvider, token: string, changes: { readonly read?: string } = {}) => {
  const { settings, discovery, keyFields, otherKey, rules } = provider;
  const keys = [...(otherKey ? [otherKey] : []), { ...publicKey, kid: 'signs', ...keyFields }];
  const documents: Readonly<Record<string, object>> = {
    [`${settings.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`]: discovery,
    [settings.jwksUrl ?? discovery.jwks_uri]: { keys },
  };
  const fetch = async (request: unknown) => {
    const document = documents[(request as Request).url];
    return document ? Response.json(document) : new Response(undefined, { status: 404 });
  };
  const identity = httpIdentity({ ...settings, clock: fakeClock(), fetch });
  return authenticate(identity, { ...rules, scopes: { ...rules.scopes, ...changes } })(token, 'read');
};

describe.each(providers)('an access token of %s', (_, provider) => {
  it('identifies the member, with keys found as the provider documents', async () => {
    const member = await authenticated(provider, await tokenOf(provider));
    expect(member).toMatchObject({ value: { locator: provider.locator } });
  });

  it('is refused without the scope that reading needs', async () => {
    const result = await authenticated(provider, await tokenOf(provider), { read: 'no.such.scope' });
    expect(result).toEqual(err(insufficientScope('no.such.scope')));
  });

  it.each([
    ['audience', { aud: 'https://graph.example.com' }],
    ['issuer', { iss: 'https://another.example' }],
    ['expired', { iat: now - 7200, exp: now - 3600 }],
  ] as const)('is refused with another value: %s', async (refusal, changes) => {
    expect(await authenticated(provider, await tokenOf(provider, changes))).toEqual(err(refusedToken(refusal)));
  });
});

describe('a token that looks like an access token of a member', () => {
  it.each([
    ['Keycloak without an audience mapper', Keycloak, { aud: 'account' }, 'audience'],
    ['Keycloak without the locator mapper', Keycloak, { partyLocator: undefined }, 'locator'],
    ['Auth0 for a program', Auth0, { sub: 'client@clients', [Auth0.rules.locatorClaim ?? '']: undefined }, 'locator'],
    ['Entra version 1 where version 2 is set', Entra, documentedProviders['Entra version 1'].claims, 'issuer'],
    ['Entra for Microsoft Graph', Entra, { aud: '00000003-0000-0000-c000-000000000000' }, 'audience'],
    ['Okta of the org authorization server', Okta, { iss: 'https://example.okta.com' }, 'issuer'],
    ['Okta without the locator claim', Okta, { partyLocator: undefined }, 'locator'],
    ['Cognito without resource binding', Cognito, { aud: undefined }, 'audience'],
    ['Cognito as an ID token', Cognito, { aud: 'xxxxxxxxxxxxexample', token_use: 'id' }, 'audience'],
    ['Cognito for a program', Cognito, { sub: 'xxxxxxxxxxxxexample' }, 'program'],
  ] as const)('is refused: %s', async (_, provider, changes, refusal) => {
    expect(await authenticated(provider, await tokenOf(provider, changes))).toEqual(err(refusedToken(refusal)));
  });
});
