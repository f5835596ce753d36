import { authenticate } from '@portico/core';
import { fakeClock } from '@portico/core/testing';
import { base64url, CompactSign, type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { httpServer } from '../http/local-servers.test.support.ts';
import { httpIdentity, identityDefaults } from './identity.ts';
import { summarizeKeys } from './key-summary.ts';
import { diagnoseToken, type TokenFinding } from './token-diagnosis.ts';

const issuer = 'https://id.test/realms/portal';
const now = 1_767_225_600;
const good = { iss: issuer, aud: 'portico', sub: 'PTY-1', iat: now, exp: now + 300 };
const rules = { ...identityDefaults, issuer, audience: ['portico'], locatorClaim: 'auto' };

let own: { readonly privateKey: CryptoKey; readonly keys: unknown };
let stranger: CryptoKey;

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  own = { privateKey, keys: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] } };
  stranger = (await generateKeyPair('ES256')).privateKey;
});

const token = (claims: object = {}, header: object = {}, key = own.privateKey) =>
  new CompactSign(new TextEncoder().encode(JSON.stringify({ ...good, ...claims })))
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header })
    .sign(key, { crit: { 'urn:x': true } });

/** A token with this header, whose signature is of no use. */
const unsigned = (header: object) =>
  `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(good))}.AAAA`;

const diagnose = (given: string, keys: unknown = own.keys) => diagnoseToken(given, rules, keys, now * 1000);

const broken = (findings: readonly TokenFinding[]) =>
  findings.filter(({ holds }) => holds === false).map(({ rule }) => rule);

/** Whether the server takes it. */
const isTaken = async (given: string): Promise<boolean> => {
  const provider = await httpServer((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(own.keys)),
  );
  const identity = httpIdentity({ issuer, audience: ['portico'], jwksUrl: `${provider.url}/keys`, clock: fakeClock() });
  return (await authenticate(identity)(given)).isOk();
};

describe('the rules that a token breaks are named, and the server refuses it', () => {
  it.each<[string, readonly string[], () => string | Promise<string>]>([
    ['that has expired', ['lifetime'], () => token({ iat: now - 300, exp: now - 60 })],
    ['without exp', ['lifetime'], () => token({ exp: undefined })],
    ['issued in the future', ['lifetime'], () => token({ iat: now + 60 })],
    ['valid only later', ['lifetime'], () => token({ nbf: now + 60 })],
    ['valid for too long', ['lifetime'], () => token({ exp: now + 86_401 })],
    ['for another audience', ['audience'], () => token({ aud: ['other'] })],
    ['without an audience', ['audience'], () => token({ aud: undefined })],
    ['from another issuer', ['issuer'], () => token({ iss: `${issuer}/` })],
    ['of another type', ['type'], () => token({}, { typ: 'id+jwt' })],
    ['signed with a key that is not published', ['key'], () => token({}, { kid: 'k2' })],
    ['signed with another key of the same id', ['signature'], () => token({}, {}, stranger)],
    ['with a header that must be understood', ['signature'], () => token({}, { crit: ['urn:x'], 'urn:x': 1 })],
    ['with a symmetric algorithm', ['algorithm'], () => unsigned({ alg: 'HS256', kid: 'k1' })],
    ['without an algorithm', ['algorithm'], () => unsigned({ alg: 'none' })],
    ['with a locator that is none', ['locator'], () => token({ partyLocator: '../PTY-1' })],
    ['without a locator', ['locator'], () => token({ sub: undefined })],
    ['bound to a key', ['binding'], () => token({ cnf: { jkt: 'k' } })],
    ['of a program', ['program'], () => token({ azp: 'PTY-1' })],
    ['of a program that names a client', ['program'], () => token({ client_id: 'PTY-1' })],
    ['that is no JWT', ['form'], () => 'opaque'],
    ['that is too long', ['form'], () => token({ filler: 'x'.repeat(8192) })],
    ['with several faults', ['issuer', 'audience'], () => token({ iss: 'x', aud: 'y' })],
  ])(
    'the diagnosis names the rules broken by a token %s, and the server refuses the token',
    async (_, expected, make) => {
      const given = await make();
      expect(broken(await diagnose(given))).toEqual(expected);
      expect(await isTaken(given)).toBe(false);
    },
  );
});

it('a token of a weak key has no published key', async () => {
  const weak = { ...(await exportJWK((await generateKeyPair('RS256')).publicKey)), kid: 'weak', e: 'AQ' };
  const findings = await diagnose(unsigned({ alg: 'RS256', kid: 'weak' }), { keys: [weak] });
  expect(broken(findings)).toEqual(['key']);
});

it('a good token keeps every rule, and the server takes it', async () => {
  const findings = await diagnose(await token({}, { typ: 'at+jwt' }));
  expect(findings.map(({ rule, holds }) => [rule, holds])).toEqual(
    'form algorithm type key signature issuer audience lifetime binding program client locator'
      .split(' ')
      .map((rule) => [rule, true]),
  );
  expect(await isTaken(await token({}, { typ: 'at+jwt' }))).toBe(true);
});

it('the findings show issuer, audience, expiry, type, algorithm, key id and names of claims, and no other value', async () => {
  const given = await token({ partyLocator: 'PTY-canary', email: 'canary@example', jti: 'canary' }, { typ: 'JWT' });
  const findings = await diagnose(given);
  expect(Object.fromEntries(findings.map(({ rule, found }) => [rule, found]))).toMatchObject({
    algorithm: 'ES256',
    type: 'JWT',
    key: 'kid k1',
    issuer,
    audience: 'portico',
    lifetime: 'exp 2026-01-01T00:05:00.000Z',
    locator: 'partyLocator is a locator; claims: iss, aud, sub, iat, exp, partyLocator, email, jti',
  });
  expect(JSON.stringify(findings)).not.toMatch(/canary|PTY-1/);
});

describe('a key set is summarized', () => {
  it('the summary of a key set counts the keys that can verify an allowed algorithm', async () => {
    const other = await exportJWK((await generateKeyPair('RS256')).publicKey);
    const keys = [...(own.keys as { keys: object[] }).keys, other, { ...other, use: 'enc' }, { kty: 'oct', k: 'AAAA' }];
    expect(await summarizeKeys({ keys }, ['ES256'])).toEqual({
      total: 4,
      usable: 1,
      algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256'],
    });
  });

  it('the summary of a key set does not count its weak keys as usable, because they verify nothing', async () => {
    const weak = { ...(await exportJWK((await generateKeyPair('RS256')).publicKey)), e: 'AQ' };
    expect(await summarizeKeys({ keys: [weak] }, ['RS256'])).toEqual({ total: 1, usable: 0, algorithms: [] });
  });

  it.each([[null], ['text'], [{}], [{ keys: 'none' }], [{ keys: [1] }]])(
    'has no summary of a document that is not a key set: %j',
    async (document) => {
      expect(await summarizeKeys(document, ['ES256'])).toBeUndefined();
    },
  );
});
