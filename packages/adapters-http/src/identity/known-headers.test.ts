import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { httpIdentity } from './identity.ts';

const issuer = 'https://id.test/realms/portal';
const now = 1_767_225_600;
const tolerance = 5;
const validClaims = { iss: issuer, aud: 'portico', sub: 'PTY-1', iat: now, exp: now + 300 };

const newKey = (options: { readonly modulusLength?: number; readonly publicExponent?: number } = {}): KeyObject =>
  generateKeyPairSync('rsa', { modulusLength: 2048, ...options }).privateKey;

let clock: FakeClock;
let key: KeyObject;
let otherKey: KeyObject;

beforeAll(() => {
  [key, otherKey] = [newKey(), newKey()];
});
beforeEach(() => {
  clock = fakeClock();
  // Between two seconds: times in tokens are compared with whole ones.
  clock.advance(500);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

/** A token with exactly this payload and header. */
const tokenOf = (payload: unknown = validClaims, header: object = {}, signer = key, hash = 'sha256'): string => {
  const bytes = payload instanceof Uint8Array || typeof payload === 'string' ? payload : JSON.stringify(payload);
  return signedWith(base64url(bytes), header, signer, hash);
};

const signedWith = (payload: string, header: object = {}, signer = key, hash = 'sha256'): string => {
  const input = `${base64url(JSON.stringify({ alg: 'RS256', kid: 'one', ...header }))}.${payload}`;
  return `${input}.${sign(hash, Buffer.from(input), signer).toString('base64url')}`;
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
const anIdentityThatKnows = async () => {
  const identity = anIdentity();
  expect((await identity.verify(tokenOf())).isOk()).toBe(true);
  return identity;
};

/** Signatures that are checked in the thread pool. */
const threaded = () => vi.spyOn(crypto.subtle, 'verify');

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

type Named = readonly [string, () => string];

const validTokens: readonly Named[] = [
  ['the same', () => tokenOf()],
  ['an identifier', () => claimsWith({ jti: 'next' })],
  ['several audiences', () => claimsWith({ aud: ['other', 'portico-next'] })],
  ['the second audience', () => claimsWith({ aud: 'portico-next' })],
  ['the last second', () => claimsWith({ exp: now - tolerance + 1 })],
  ['the first second', () => claimsWith({ nbf: now + tolerance })],
  ['a member name twice', () => tokenOf(`{"iss":"other",${JSON.stringify(validClaims).slice(1)}`)],
];

/** Most of them are not valid. */
const otherTokens: readonly Named[] = [
  ['less than a second before it is valid', () => claimsWith({ nbf: now + tolerance + 0.4 })],
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
  it.each(validTokens)('is verified without the thread pool: %s', async (_, make) => {
    const accessToken = make();
    const expected = await anIdentity().verify(accessToken);
    expect(expected.isOk()).toBe(true);
    const identity = await anIdentityThatKnows();
    const verified = threaded();
    expect(await identity.verify(accessToken)).toEqual(expected);
    expect(verified).not.toHaveBeenCalled();
  });

  it.each(['RS384', 'RS512'])('is verified without the thread pool: %s', async (alg) => {
    const identity = httpIdentity({
      issuer,
      audience: ['portico'],
      jwksUrl: 'https://id.test/jwks',
      algorithms: ['RS384', 'RS512'],
      clock,
      fetch: async () => Response.json({ keys: published(['one', key]).map((jwk) => ({ ...jwk, alg })) }),
    });
    const next = (jti: string) => tokenOf({ ...validClaims, jti }, { alg }, key, `sha${alg.slice(2)}`);
    expect((await identity.verify(next('1'))).isOk()).toBe(true);
    const verified = threaded();
    expect((await identity.verify(next('2'))).isOk()).toBe(true);
    expect(verified).not.toHaveBeenCalled();
  });

  it.each(otherTokens)('has the result that jose has for it, however often it comes: %s', async (_, make) => {
    const accessToken = make();
    const expected = await anIdentity().verify(accessToken);
    const identity = await anIdentityThatKnows();
    for (let use = 0; use < 3; use++) expect(await identity.verify(accessToken)).toEqual(expected);
  });

  it('is refused once it has expired, however often it was used', async () => {
    const identity = await anIdentityThatKnows();
    const accessToken = claimsWith({ jti: 'next' });
    for (let use = 0; use < 4; use++) expect((await identity.verify(accessToken)).isOk()).toBe(true);
    clock.advance((300 + tolerance) * 1000);
    expect(await identity.verify(accessToken)).toEqual(await anIdentity().verify(accessToken));
    expect((await identity.verify(accessToken)).isErr()).toBe(true);
  });

  it('is refused once its key is no longer published', async () => {
    let keys = published(['one', key]);
    const identity = anIdentity(() => keys);
    expect((await identity.verify(tokenOf())).isOk()).toBe(true);
    keys = published(['two', otherKey]);
    expect((await identity.verify(tokenOf(validClaims, { kid: 'two' }, otherKey))).isOk()).toBe(true);
    expect((await identity.verify(claimsWith({ jti: 'next' }))).isErr()).toBe(true);
  });

  it('is refused if its key was replaced while another token was verified', async () => {
    let keys = published(['one', key]);
    const identity = anIdentity(() => keys);
    await identity.warm();
    const { verify } = crypto.subtle;
    const isReplaced = Promise.withResolvers<void>();
    threaded().mockImplementationOnce(async (...parameters) => {
      const isValid = await verify.apply(crypto.subtle, parameters);
      await isReplaced.promise;
      return isValid;
    });
    const pending = identity.verify(tokenOf());
    keys = published(['one', otherKey]);
    clock.advance(31_000);
    expect((await identity.verify(tokenOf(validClaims, {}, otherKey))).isOk()).toBe(true);
    isReplaced.resolve();
    await pending;
    expect((await identity.verify(claimsWith({ jti: 'next' }))).isErr()).toBe(true);
    expect((await identity.verify(tokenOf(validClaims, {}, otherKey))).isOk()).toBe(true);
  });

  it('is accepted by another key with the same header', async () => {
    const identity = anIdentity(() => published(['one', key], ['one', otherKey]));
    for (const signer of [key, otherKey, key])
      expect((await identity.verify(tokenOf({ ...validClaims, jti: Math.random() }, {}, signer))).isOk()).toBe(true);
    expect((await identity.verify(tokenOf(validClaims, {}, newKey()))).isErr()).toBe(true);
  });

  it.each([
    ['more bits', { modulusLength: 3080 }],
    ['a larger exponent', { publicExponent: 65_539 }],
  ])('is verified in the thread pool if its key has %s than usual', async (_, options) => {
    const unusual = newKey(options);
    const identity = anIdentity(() => published(['one', unusual]));
    const verified = threaded();
    for (const jti of ['1', '2'])
      expect((await identity.verify(tokenOf({ ...validClaims, jti }, {}, unusual))).isOk()).toBe(true);
    expect(verified).toHaveBeenCalledTimes(2);
  });

  it('is verified by jose if the header is another one', async () => {
    const identity = await anIdentityThatKnows();
    const verified = threaded();
    expect((await identity.verify(tokenOf(validClaims, { typ: 'JWT' }))).isOk()).toBe(true);
    expect(verified).toHaveBeenCalledOnce();
  });
});
