import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { ok } from 'neverthrow';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { httpIdentity } from './identity.ts';

const issuer = 'https://id.test/realms/portal';
const now = 1_767_225_600;
const tolerance = 5;
const validClaims = { iss: issuer, aud: 'portico', sub: 'PTY-1', iat: now, exp: now + 300 };

const newKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

let clock: FakeClock;
let key: KeyObject;
let otherKey: KeyObject;

beforeAll(() => {
  [key, otherKey] = [newKey(), newKey()];
});
beforeEach(() => {
  clock = fakeClock();
});

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

/** A token with exactly this payload and header. */
const tokenOf = (payload: unknown = validClaims, header: object = {}, signer = key): string => {
  const bytes = payload instanceof Uint8Array || typeof payload === 'string' ? payload : JSON.stringify(payload);
  return signedWith(base64url(bytes), header, signer);
};

const signedWith = (payload: string, header: object = {}, signer = key): string => {
  const input = `${base64url(JSON.stringify({ alg: 'RS256', kid: 'one', ...header }))}.${payload}`;
  return `${input}.${sign('sha256', Buffer.from(input), signer).toString('base64url')}`;
};

const published = (...keys: readonly (readonly [string, KeyObject])[]) =>
  keys.map(([kid, each]) => ({ ...createPublicKey(each).export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }));

const anIdentity = (keys: () => readonly object[] = () => published(['one', key])) =>
  httpIdentity({
    issuer,
    audience: ['portico', 'portico-next'],
    jwksUrl: 'https://id.test/jwks',
    clock,
    fetch: async () => Response.json({ keys: keys() }),
  });

/** An identity that has accepted a token with the usual header. */
const anIdentityThatKnows = async (...headers: readonly object[]) => {
  const identity = anIdentity();
  for (const header of [{}, ...headers])
    expect((await identity.verify(tokenOf(validClaims, header))).isOk()).toBe(true);
  return identity;
};

const withSignature = (change: (signature: string) => string): string => {
  const [header, payload, signature] = tokenOf().split('.') as [string, string, string];
  return [header, payload, change(signature)].join('.');
};

/** The character of base64url whose number differs in the last bit, which a signature of 256 bytes does not use. */
const otherSpelling = (signature: string): string => {
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return signature.slice(0, -1) + characters[characters.indexOf(signature.at(-1)!) ^ 1]!;
};

const claimsWith = (claims: object) => tokenOf({ ...validClaims, ...claims });

const tokens: readonly (readonly [string, () => string])[] = [
  ['a valid one', () => tokenOf()],
  ['several audiences', () => claimsWith({ aud: ['other', 'portico-next'] })],
  ['the last second', () => claimsWith({ exp: now - tolerance + 1 })],
  ['the first second', () => claimsWith({ nbf: now + tolerance })],
  ['a member name twice', () => tokenOf(`{"iss":"other",${JSON.stringify(validClaims).slice(1)}`)],
  ['expired', () => claimsWith({ exp: now - tolerance })],
  ['not valid yet', () => claimsWith({ nbf: now + tolerance + 1 })],
  ['issued in the future', () => claimsWith({ iat: now + tolerance + 1 })],
  ['too long a lifetime', () => claimsWith({ exp: now + 86_401 })],
  ...(['iss', 'aud', 'exp'] as const).flatMap((claim) => [
    [`no ${claim}`, () => claimsWith({ [claim]: undefined })] as const,
    ...[null, '', 'other', 0, [], {}, ['other'], true, String(now + 9)].map(
      (value) => [`${claim} ${JSON.stringify(value)}`, () => claimsWith({ [claim]: value })] as const,
    ),
  ]),
  ...(['nbf', 'iat'] as const).flatMap((claim) =>
    [null, '0', [0], String(now)].map(
      (value) => [`${claim} ${JSON.stringify(value)}`, () => claimsWith({ [claim]: value })] as const,
    ),
  ),
  ...(['exp', 'nbf', 'iat'] as const).map(
    (claim) =>
      [
        `infinite ${claim}`,
        () => tokenOf(JSON.stringify({ ...validClaims, [claim]: 0.5 }).replace('0.5', '1e999')),
      ] as const,
  ),
  [
    'an issuer inherited from a prototype',
    () => tokenOf(`{"__proto__":{"iss":"${issuer}"},"aud":"portico","exp":${now + 9}}`),
  ],
  ...['null', '[]', '"text"', '1', '{', '', '\uFEFF{}'].map(
    (text) => [`the payload ${text}`, () => tokenOf(text)] as const,
  ),
  ['a byte order mark', () => tokenOf(`\uFEFF${JSON.stringify(validClaims)}`)],
  [
    'a payload that is not UTF-8',
    () =>
      tokenOf(
        Buffer.concat([
          Buffer.from(JSON.stringify({ ...validClaims, sub: '' }).slice(0, -1)),
          Buffer.from([0x2c, 0xff]),
        ]),
      ),
  ],
  [
    'a text that is not UTF-8',
    () => tokenOf(Buffer.from(JSON.stringify({ ...validClaims, sub: 'PTY-\xff' }), 'latin1')),
  ],
  ['a foreign character in the payload', () => signedWith(`${base64url(JSON.stringify(validClaims))}!`)],
  ['another key', () => tokenOf(validClaims, {}, otherKey)],
  ['another algorithm', () => tokenOf(validClaims, { alg: 'RS512' })],
  ['a critical extension', () => tokenOf(validClaims, { crit: ['exp'], exp: 1 })],
  ['another type', () => tokenOf(validClaims, { typ: 'logout+jwt' })],
  ['no key identifier', () => tokenOf(validClaims, { kid: undefined })],
  ['a changed signature', () => withSignature((text) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1))],
  ['a shorter signature', () => withSignature((text) => text.slice(0, -4))],
  ['no signature', () => withSignature(() => '')],
  ['padding after the signature', () => withSignature((text) => `${text}==`)],
  ['a line feed after the signature', () => withSignature((text) => `${text}\n`)],
  ['a foreign character in the signature', () => withSignature((text) => `${text.slice(0, 9)}!${text.slice(9)}`)],
  ['another spelling of the signature', () => withSignature(otherSpelling)],
  ['a fourth part', () => `${tokenOf()}.AAAA`],
  [
    'a character that has the low byte of another',
    () => tokenOf().replace(/\.(.)/, (_, first: string) => `.${String.fromCharCode(first.charCodeAt(0) + 256)}`),
  ],
  ['one part', () => tokenOf().split('.')[0]!],
  ['two parts', () => tokenOf().split('.').slice(0, 2).join('.')],
  ['an empty token', () => ''],
];

describe('a token with the header of one that was accepted', () => {
  it('is verified without the thread pool', async () => {
    const identity = await anIdentityThatKnows();
    const verified = vi.spyOn(crypto.subtle, 'verify');
    expect(await identity.verify(claimsWith({ jti: 'next' }))).toEqual(ok({ ...validClaims, jti: 'next' }));
    expect(verified).not.toHaveBeenCalled();
    expect((await identity.verify(tokenOf(validClaims, { typ: 'JWT' }))).isOk()).toBe(true);
    expect(verified).toHaveBeenCalledOnce();
    verified.mockRestore();
  });

  it.each(tokens)('has the result that jose has for it: %s', async (_, make) => {
    const accessToken = make();
    const expected = await anIdentity().verify(accessToken);
    expect(await (await anIdentityThatKnows()).verify(accessToken)).toEqual(expected);
  });

  it('is refused once its key is no longer published', async () => {
    let keys = published(['one', key]);
    const identity = anIdentity(() => keys);
    expect((await identity.verify(tokenOf())).isOk()).toBe(true);
    keys = published(['two', otherKey]);
    expect((await identity.verify(tokenOf(validClaims, { kid: 'two' }, otherKey))).isOk()).toBe(true);
    expect((await identity.verify(claimsWith({ jti: 'next' }))).isErr()).toBe(true);
  });

  it('is accepted by another key with the same header', async () => {
    const identity = anIdentity(() => published(['one', key], ['one', otherKey]));
    for (const signer of [key, otherKey, key])
      expect((await identity.verify(tokenOf({ ...validClaims, jti: Math.random() }, {}, signer))).isOk()).toBe(true);
    expect((await identity.verify(tokenOf(validClaims, {}, newKey()))).isErr()).toBe(true);
  });
});
