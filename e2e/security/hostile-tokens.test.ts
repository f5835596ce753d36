import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type RawResponse,
  encode,
  type HostileEnvironment,
  issuerKeys,
  jwkOf,
  type Recorder,
  type Request,
  send,
  sendRaw,
  signed,
  startHostileEnvironment,
  startRecorder,
} from './hostile-environment.ts';
import { memberRoutes } from '../member/member-routes.ts';

const foreignKey = generateKeyPairSync('rsa', { modulusLength: 2048 });
const foreignJwk = { ...jwkOf(foreignKey.publicKey), kid: 'foreign', use: 'sig' };

let environment: HostileEnvironment;
/** A foreign key set, which tokens refer to. */
let elsewhere: Recorder;

beforeAll(async () => {
  elsewhere = await startRecorder(() => JSON.stringify({ keys: [foreignJwk] }));
  environment = await startHostileEnvironment();
});
afterAll(async () => {
  await environment.close();
  elsewhere.close();
});
afterEach(() => {
  environment.downstream.requests.length = 0;
});

const now = () => Math.floor(Date.now() / 1000);
const validClaims = () => ({
  iss: environment.issuer.url,
  aud: 'portico',
  sub: 'PTY-1001',
  iat: now(),
  exp: now() + 300,
});

/** A token of the issuer, valid except for these claims; undefined ones are left out. */
const withClaims = (claims: object) => signed({ ...validClaims(), ...claims });

/** A token of the issuer, valid except for its header. */
const withHeader = (header: object) => signed(validClaims(), header);

/** A valid token, except that a foreign key signed it. */
const forged = (header: object, alg = 'RS256') => signed(validClaims(), header, 'rsa', alg, foreignKey.privateKey);

/** A token that was made without a key. */
const unsigned = (header: object | string, signature = '') => `${encode(header)}.${encode(validClaims())}.${signature}`;

const keyed = (alg: string, secret: string | Buffer) => {
  const input = `${encode({ alg, kid: 'rsa' })}.${encode(validClaims())}`;
  return `${input}.${createHmac(alg.replace('HS', 'sha'), secret).update(input).digest('base64url')}`;
};

/** Valid claims with a number that `JSON.stringify` does not write. */
const writing = (claim: string, number: string) =>
  signed(text({ ...validClaims(), [claim]: 0 }).replace(`"${claim}":0`, `"${claim}":${number}`));

const parts = (token = signed(validClaims())) =>
  token.split('.') as [header: string, payload: string, signature: string];

/** A valid token of exactly this length, with fillers in header and claims. */
const sized = (length: number): string => {
  for (let h = 0; h < 4; h++)
    for (let p = Math.floor(((length - 700) * 3) / 4); ; p++) {
      const token = signed({ ...validClaims(), filler: 'x'.repeat(p) }, { filler: 'x'.repeat(h) });
      if (token.length === length) return token;
      if (token.length > length) break;
    }
  throw new Error('this length is not possible');
};

/** Public forms of a key, which an attacker may try as an HMAC secret. */
const published = issuerKeys.rsa.publicKey;
const pem = published.export({ type: 'spki', format: 'pem' }).toString();
const modulus = Buffer.from(jwkOf(published).n ?? '', 'base64url');
const secrets: readonly (readonly [name: string, secret: string | Buffer])[] = [
  ['the public key as PEM', pem],
  ['the public key as PEM, without its last line break', pem.trim()],
  ['the public key as PKCS #1 PEM', published.export({ type: 'pkcs1', format: 'pem' })],
  ['the public key as DER', published.export({ type: 'spki', format: 'der' })],
  ['the published JWK', JSON.stringify({ ...jwkOf(published), kid: 'rsa', use: 'sig' })],
  ['the modulus', modulus],
  ['the modulus as text', jwkOf(published).n ?? ''],
  ['nothing', ''],
];

const text = JSON.stringify;

const withSignature = (signature: string, token = signed(validClaims())) =>
  `${token.slice(0, token.lastIndexOf('.') + 1)}${signature}`;

const resigned = (change: (signature: Buffer) => Buffer, token = signed(validClaims())) =>
  withSignature(change(Buffer.from(parts(token)[2], 'base64url')).toString('base64url'), token);

const signedAsDer = () => {
  const token = signed(validClaims(), {}, 'ec', 'ES256');
  const input = Buffer.from(token.slice(0, token.lastIndexOf('.')));
  return resigned(() => sign('sha256', input, issuerKeys.ec.privateKey), token);
};

/** A token whose signature differs in the standard base64 alphabet. */
const standardBase64 = (): string => {
  const token = signed({ ...validClaims(), jti: String(Math.random()) });
  const [header, payload, signature] = parts(token);
  return /[-_]/.test(signature)
    ? `${header}.${payload}.${signature.replaceAll('-', '+').replaceAll('_', '/')}`
    : standardBase64();
};

const encrypted = () =>
  new CompactEncrypt(Buffer.from(text(validClaims())))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'rsa' })
    .encrypt(issuerKeys.rsa.publicKey);

/** Replaces the last character by one that decodes to the same bytes: RS256 leaves four of its bits unused. */
const strayBits = (segment: string) => segment.slice(0, -1) + alphabet[alphabet.indexOf(segment.at(-1) ?? '') + 1];
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const joined = (make: (header: string, payload: string, signature: string) => string) => () => make(...parts());

const path = '/me/coverage';
const bearing = (token: string, more: Request = {}): Promise<RawResponse> =>
  send(environment.portico, { path, ...more, headers: { authorization: `Bearer ${token}`, ...more.headers } });

const problem = {
  type: 'urn:portico:problem:unauthenticated',
  title: 'A valid access token is required',
  status: 401,
  code: 'unauthenticated',
};

/** Expects a 401 without downstream requests, which does not depend on the reason. */
const expectRefused = ({ status, headers, text }: RawResponse, challenge: string, detail: string) => {
  expect([status, headers['www-authenticate']]).toEqual([401, challenge]);
  expect(headers['content-type']).toBe('application/problem+json');
  expect({ ...(JSON.parse(text) as object), requestId: '' }).toEqual({ ...problem, detail, requestId: '' });
  expect([environment.downstream.requests, elsewhere.requests]).toEqual([[], []]);
};
const expectInvalid = (response: RawResponse) =>
  expectRefused(response, 'Bearer realm="portico", error="invalid_token"', 'The access token is not valid.');
const expectMissing = (response: RawResponse) =>
  expectRefused(response, 'Bearer realm="portico"', 'There is no access token.');

const paths = () => environment.downstream.requests.map((request) => request.path);

type Rows = readonly (readonly [what: string, token: () => string | Promise<string>])[];

describe('a valid token', () => {
  it.each<[string, () => string]>([
    ['signed with RS256', () => signed(validClaims())],
    ['signed with PS256', () => signed(validClaims(), {}, 'rsa', 'PS256')],
    ['signed with ES256', () => signed(validClaims(), {}, 'ec', 'ES256')],
    ['signed with EdDSA', () => signed(validClaims(), {}, 'ed', 'EdDSA')],
    ['typed JWT', () => withHeader({ typ: 'JWT' })],
    ['typed at+jwt', () => withHeader({ typ: 'at+jwt' })],
    ['without a kid, where one key fits', () => withHeader({ kid: undefined })],
    ['for several audiences', () => withClaims({ aud: ['other', 'portico'] })],
    ['without iat', () => withClaims({ iat: undefined })],
    ['of exactly 8 KiB', () => sized(8192)],
    ['with b64 that is not critical (RFC 7797, section 6)', () => withHeader({ b64: false })],
    ['with a byte order mark before its claims (RFC 8259, section 8.1)', () => signed(`\uFEFF${text(validClaims())}`)],
    [
      'with URLs of other keys, which are not requested',
      () => withHeader({ jwk: foreignJwk, jku: elsewhere.url, x5u: elsewhere.url }),
    ],
  ])('a valid token is accepted: %s', async (_, token) => {
    const value = token();
    expect((await bearing(value)).status).toBe(200);
    expect(environment.downstream.requests).toMatchObject([
      { path: '/members/PTY-1001/coverage', headers: { authorization: `Bearer ${value}` } },
    ]);
    expect(elsewhere.requests).toEqual([]);
  });

  it.each(['Bearer ', 'bearer ', 'BEARER  '])(
    'a valid token is accepted with the scheme written "%s"',
    async (scheme) => {
      expect(
        (await send(environment.portico, { path, headers: { authorization: scheme + signed(validClaims()) } })).status,
      ).toBe(200);
    },
  );

  it('identifies the member by its party locator, if it has one', async () => {
    await bearing(withClaims({ sub: '../PTY-1', partyLocator: 'PTY-1002' }));
    expect(paths()).toEqual(['/members/PTY-1002/coverage']);
  });

  it('uses the last of duplicate claims (RFC 7519, section 4)', async () => {
    await bearing(signed(text(validClaims()).replace('{', '{"sub":"PTY-1002",')));
    expect(paths()).toEqual(['/members/PTY-1001/coverage']);
  });
});

const signatures: Rows = [
  ...['none', 'None', 'NONE', 'nOnE', ''].map(
    (alg) => [`alg is "${alg}", with no signature`, () => unsigned({ alg })] as const,
  ),
  ['alg is none, with any signature', () => unsigned({ alg: 'none', kid: 'rsa' }, 'c2lnbmF0dXJl')],
  ['alg is none, with the signature of another token', () => unsigned({ alg: 'none', kid: 'rsa' }, parts()[2])],
  ['alg is duplicate, the last one is none', () => unsigned('{"alg":"RS256","kid":"rsa","alg":"none"}', parts()[2])],
  ['alg is missing', () => withHeader({ alg: undefined })],
  ['alg is a number', () => withHeader({ alg: 256 })],
  ['alg is a list', () => withHeader({ alg: ['RS256'] })],
  ['alg is in lower case', () => withHeader({ alg: 'rs256' })],
  ...secrets.map(([name, secret]) => [`it is keyed with ${name}`, () => keyed('HS256', secret)] as const),
  ['it is keyed with the modulus in HS384', () => keyed('HS384', modulus)],
  ['it is keyed with the modulus in HS512', () => keyed('HS512', modulus)],
  ...['RS384', 'RS512', 'PS384', 'PS512'].map(
    (alg) =>
      [`the issuer signed it with ${alg}, which is not allowed`, () => signed(validClaims(), {}, 'rsa', alg)] as const,
  ),
  ['the issuer signed it with ES384, which is not allowed', () => signed(validClaims(), {}, 'ec-384', 'ES384')],
  ['the issuer signed it with ES512, which is not allowed', () => signed(validClaims(), {}, 'ec-521', 'ES512')],
  ['alg is Ed25519, which is not allowed', () => signed(validClaims(), { alg: 'Ed25519' }, 'ed', 'EdDSA')],
  ['alg is RS256 for a PS256 signature', () => signed(validClaims(), { alg: 'RS256' }, 'rsa', 'PS256')],
  ['alg is ES256 for an RSA key', () => withHeader({ alg: 'ES256' })],
  ['alg is RS256 for an EC key', () => signed(validClaims(), { alg: 'RS256' }, 'ec', 'ES256')],
  ['alg is EdDSA for an EC key', () => signed(validClaims(), { alg: 'EdDSA' }, 'ec', 'ES256')],
  ['alg is ES256 for a P-384 key', () => signed(validClaims(), { alg: 'ES256' }, 'ec-384', 'ES384')],
  ['a foreign key signed it with the kid of the issuer', () => forged({})],
  ['a foreign key signed it without a kid', () => forged({ kid: undefined })],
  ['an ECDSA signature is all zeros', () => resigned(() => Buffer.alloc(64), signed(validClaims(), {}, 'ec', 'ES256'))],
  ['an ECDSA signature is in DER', () => signedAsDer()],
  ['it has the signature of another token', () => withSignature(parts(withClaims({ sub: 'PTY-1002' }))[2])],
  [
    'its payload is that of another token',
    joined((header, _, end) => `${header}.${encode({ ...validClaims(), sub: 'PTY-1002' })}.${end}`),
  ],
  ['its signature lacks the last byte', () => resigned((signature) => signature.subarray(0, -1))],
  ['its signature has an extra byte', () => resigned((signature) => Buffer.concat([signature, Buffer.of(0)]))],
];

const keysNamed: Rows = [
  ['it contains its key (jwk)', () => forged({ jwk: foreignJwk, kid: 'foreign' })],
  ['it contains its key with the kid of the issuer', () => forged({ jwk: { ...foreignJwk, kid: 'rsa' } })],
  ['it has a URL of its keys (jku)', () => forged({ jku: `${elsewhere.url}/keys`, kid: 'foreign' })],
  ['it has a URL of its certificate (x5u)', () => forged({ x5u: `${elsewhere.url}/cert`, kid: 'foreign' })],
  [
    'it contains a certificate (x5c)',
    () => forged({ x5c: [foreignKey.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] }),
  ],
  ['its kid is a URL', () => forged({ kid: `${elsewhere.url}/keys#foreign` })],
  ['its kid is a path', () => forged({ kid: '../../../../dev/null' })],
  ['its kid is SQL', () => forged({ kid: "x' UNION SELECT 'secret" })],
  ...[7, null, true, ['rsa'], { kid: 'rsa' }].map(
    (kid) => [`its kid is ${JSON.stringify(kid)}`, () => withHeader({ kid })] as const,
  ),
  ['its kid is empty', () => withHeader({ kid: '' })],
  ['its kid is unknown', () => withHeader({ kid: 'unknown' })],
  ['its kid has a trailing space', () => withHeader({ kid: 'rsa ' })],
  ['its kid is in upper case', () => withHeader({ kid: 'RSA' })],
  ['its kid is the name of a property of every object', () => withHeader({ kid: '__proto__' })],
  ['its kid is 5000 characters long', () => withHeader({ kid: 'k'.repeat(5000) })],
];

const headers: Rows = [
  ['a critical header is unknown', () => withHeader({ crit: ['urn:x'], 'urn:x': 1 })],
  ['a critical header is missing', () => withHeader({ crit: ['urn:x'] })],
  ['a claim is declared as a critical header', () => withHeader({ crit: ['exp'], exp: now() + 300 })],
  ['crit is an empty list', () => withHeader({ crit: [] })],
  ['crit is not a list', () => withHeader({ crit: 'b64', b64: true })],
  ['crit is null', () => withHeader({ crit: null })],
  ['its payload is not encoded (b64)', () => withHeader({ crit: ['b64'], b64: false })],
  ...['id+jwt', 'logout+jwt', 'dpop+jwt', 'JOSE', 'application/json', '', 7, null, ['JWT']].map(
    (typ) => [`its typ is ${JSON.stringify(typ)}`, () => withHeader({ typ })] as const,
  ),
];

const times: Rows = [
  ['exp is missing', () => withClaims({ exp: undefined })],
  ['exp is null', () => withClaims({ exp: null })],
  ['exp is a string', () => withClaims({ exp: String(now() + 300) })],
  ['exp is a list', () => withClaims({ exp: [now() + 300] })],
  ['exp is true', () => withClaims({ exp: true })],
  ['exp is in the past', () => withClaims({ iat: now() - 600, exp: now() - 300 })],
  ['exp is negative', () => withClaims({ exp: -1 })],
  ['exp is 0', () => withClaims({ exp: 0 })],
  ['exp is 1e300', () => writing('exp', '1e300')],
  ['exp is infinite', () => writing('exp', '1e999')],
  ['exp is in milliseconds', () => withClaims({ exp: Date.now() + 300_000 })],
  ['its lifetime is a second too long', (iat = now()) => withClaims({ iat, exp: iat + 86_401 })],
  ['its remaining lifetime is too long, without iat', () => withClaims({ iat: undefined, exp: now() + 90_000 })],
  ['iat is in the future', () => withClaims({ iat: now() + 60 })],
  ['iat is a string', () => withClaims({ iat: String(now()) })],
  ['iat is null', () => withClaims({ iat: null })],
  ['iat is negative infinity', () => writing('iat', '-1e999')],
  ['nbf is in the future', () => withClaims({ nbf: now() + 60 })],
  ['nbf is infinite', () => writing('nbf', '1e999')],
  ['nbf is negative infinity', () => writing('nbf', '-1e999')],
  ['nbf is a string', () => withClaims({ nbf: 'now' })],
];

const parties: Rows = [
  ['it has no audience', () => withClaims({ aud: undefined })],
  ['it has another audience', () => withClaims({ aud: 'other' })],
  ['it has several other audiences', () => withClaims({ aud: ['other', 'portico2'] })],
  ['its audience is an empty list', () => withClaims({ aud: [] })],
  ['its audience is a list in a list', () => withClaims({ aud: [['portico']] })],
  ['its audience is a number', () => withClaims({ aud: 1 })],
  ['its audience is an object', () => withClaims({ aud: { portico: true, length: 1 } })],
  ['its audience is in another case', () => withClaims({ aud: 'Portico' })],
  ['its audience has two names in one string', () => withClaims({ aud: 'portico other' })],
  ['it has no issuer', () => withClaims({ iss: undefined })],
  ['its issuer has a trailing slash', () => withClaims({ iss: `${environment.issuer.url}/` })],
  ['its issuer is in another case', () => withClaims({ iss: environment.issuer.url.toUpperCase() })],
  ['its issuer is a list', () => withClaims({ iss: [environment.issuer.url] })],
  ['it has another issuer', () => withClaims({ iss: elsewhere.url })],
];

const notLocators = [
  '',
  '..',
  '../x',
  'a..b',
  'PTY/1001',
  'PTY%2F1001',
  'PTY 1001',
  ' PTY-1001',
  'PTY-1001\n',
  'PTY-1001\u0000',
  '\u202ePTY-1001',
  'PTY-1001\ud800',
  '.PTY',
  'x'.repeat(129),
  1001,
  0,
  null,
  true,
  ['PTY-1001'],
  { locator: 'PTY-1001' },
];

const members: Rows = [
  ['it names no member', () => withClaims({ sub: undefined })],
  ...notLocators.flatMap((locator) => [
    [`its sub is ${JSON.stringify(locator).slice(0, 40)}`, () => withClaims({ sub: locator })] as const,
    [
      `its party locator is ${JSON.stringify(locator).slice(0, 40)}, with a valid sub`,
      () => withClaims({ partyLocator: locator }),
    ] as const,
  ]),
];

const forms: Rows = [
  ['it has no signature', joined((header, payload) => `${header}.${payload}`)],
  ['its signature is empty', joined((header, payload) => `${header}.${payload}.`)],
  ['its payload is empty', joined((header, _, signature) => `${header}..${signature}`)],
  ['its header is empty', joined((_, payload, signature) => `.${payload}.${signature}`)],
  ['it has four parts', joined((...all) => [...all, all[2]].join('.'))],
  ['it starts with a dot', () => `.${signed(validClaims())}`],
  ['it ends in a dot', () => `${signed(validClaims())}.`],
  ['it is one word', () => 'PTY-1001'],
  ['it is truncated', () => signed(validClaims()).slice(0, 100)],
  [
    'its last unused bits are changed',
    joined((header, payload, signature) => `${header}.${payload}.${strayBits(signature)}`),
  ],
  ['it is padded', joined((header, payload, signature) => `${header}.${payload}.${signature}==`)],
  ['it is in the standard base64 alphabet', () => standardBase64()],
  ['it contains a space', joined((header, payload, signature) => `${header}. ${payload}.${signature}`)],
  ['it contains a tab', joined((header, payload, signature) => `${header}.${payload}.\t${signature}`)],
  ['it is quoted', () => `"${signed(validClaims())}"`],
  ['it is percent-encoded', () => signed(validClaims()).replaceAll('.', '%2E')],
  ['there are two, separated by a comma', () => `${signed(validClaims())}, ${signed(validClaims())}`],
  ['it is preceded by a second "Bearer"', () => `Bearer ${signed(validClaims())}`],
  [
    'it is in the flattened JSON serialisation',
    joined((header, payload, signature) => text({ payload, protected: header, signature })),
  ],
  [
    'it is in the general JSON serialisation',
    joined((header, payload, signature) => text({ payload, signatures: [{ protected: header, signature }] })),
  ],
  ['it is encrypted', () => encrypted()],
  ['its header is not JSON', joined((_, payload, signature) => `${encode('RS256')}.${payload}.${signature}`)],
  ['its header is a list', joined((_, payload, signature) => `${encode(['RS256'])}.${payload}.${signature}`)],
  ['its payload is not JSON', () => signed('sub=PTY-1001')],
  ['its payload is a list', () => signed([validClaims()])],
  ['its payload is a string', () => signed('"PTY-1001"')],
  ['its payload is null', () => signed('null')],
  ['its payload is not valid UTF-8', () => signed(Buffer.from(text({ ...validClaims(), name: '\u00ff' }), 'latin1'))],
  ['its payload is in UTF-16', () => signed(Buffer.from(text(validClaims()), 'utf16le'))],
  ['its payload is another token', () => signed(signed(validClaims()), { cty: 'JWT' })],
  ['it has one byte more than 8 KiB', () => sized(8193)],
  ['it has 12 KiB', () => sized(12_288)],
];

describe.each([
  ['signature', signatures],
  ['key', keysNamed],
  ['header', headers],
  ['lifetime', times],
  ['issuer or audience', parties],
  ['member', members],
  ['form', forms],
] as const)('a token with an invalid %s', (_, rows) => {
  it.each(rows)('a token is refused as invalid when %s', async (_, token) => {
    expectInvalid(await bearing(await token()));
  });
});

const posting = (type: string, body: string | readonly string[]) => ({
  method: 'POST',
  path: '/me/claims',
  headers: { 'content-type': type },
  body,
});

type Ways = readonly (readonly [way: string, request: (token: string) => Request])[];

const ways: Ways = [
  ['without a scheme', (token) => ({ headers: { authorization: token } })],
  ['as an empty string', () => ({ headers: { authorization: 'Bearer ' } })],
  ['as Basic', (token) => ({ headers: { authorization: `Basic ${token}` } })],
  ['as Token', (token) => ({ headers: { authorization: `Token ${token}` } })],
  ['as DPoP', (token) => ({ headers: { authorization: `DPoP ${token}` } })],
  ['with a colon after the scheme', (token) => ({ headers: { authorization: `Bearer: ${token}` } })],
  ['with a tab after the scheme', (token) => ({ headers: { authorization: `Bearer\t${token}` } })],
  ['after another scheme', (token) => ({ headers: { authorization: `Basic eDp5, Bearer ${token}` } })],
  ['in a second Authorization header', (token) => ({ headers: { authorization: ['Basic eDp5', `Bearer ${token}`] } })],
  ['in the query', (token) => ({ path: `${path}?access_token=${token}` })],
  [
    'in a cookie',
    (token) => ({ headers: { cookie: `access_token=${token}; token=${token}; authorization=Bearer ${token}` } }),
  ],
  ['in X-Access-Token', (token) => ({ headers: { 'x-access-token': token } })],
  ['in X-Forwarded-Authorization', (token) => ({ headers: { 'x-forwarded-authorization': `Bearer ${token}` } })],
  ['in Proxy-Authorization', (token) => ({ headers: { 'proxy-authorization': `Bearer ${token}` } })],
  ['in a form', (token) => posting('application/x-www-form-urlencoded', `access_token=${token}`)],
  ['in a body of JSON', (token) => posting('application/json', text({ access_token: token }))],
  [
    'in the trailer of a body',
    (token) => ({ ...posting('application/json', ['{"a":1}']), trailers: { authorization: `Bearer ${token}` } }),
  ],
];

describe('a valid token is ignored', () => {
  it.each(ways)('a token is ignored, and reported as missing, when it is sent %s', async (_, request) => {
    expectMissing(await send(environment.portico, { path, ...request(signed(validClaims())) }));
  });
});

describe('a token', () => {
  it('a token is not selected from two tokens', async () => {
    const authorization = [`Bearer ${forged({})}`, `Bearer ${signed(validClaims())}`];
    expectInvalid(await send(environment.portico, { path, headers: { authorization } }));
  });

  // The HTTP parser refuses these requests before the application sees a token. A client that keeps sending may be
  // disconnected before it receives the response.
  it.each([
    [
      'is larger than the limit of all headers',
      /^(?:HTTP\/1\.1 431 |$)/,
      () => withHeader({ kid: 'k'.repeat(1_000_000) }),
    ],
    ['is folded into two lines', /^HTTP\/1\.1 400 /, () => signed(validClaims()).replace('.', '\r\n .')],
    ['contains a NUL', /^HTTP\/1\.1 400 /, () => signed(validClaims()).replace('.', '\0.')],
  ])('a token is refused by the HTTP parser when it %s', async (_, expected, token) => {
    const header = `GET ${path} HTTP/1.1\r\nHost: portico\r\nAuthorization: Bearer ${token()}\r\n\r\n`;
    expect(await sendRaw(environment.portico, header)).toMatch(expected);
    expect(environment.downstream.requests).toEqual([]);
  });

  it('a token is refused on every route', async () => {
    const token = forged({});
    for (const { method, path: target, body } of memberRoutes) {
      const headers = { 'content-type': 'application/json' };
      const more = body === undefined ? {} : { headers, body: text(body) };
      expectInvalid(await bearing(token, { method, path: target, ...more }));
    }
  });
});

describe('an algorithm that is not allowed by default', () => {
  const allowed = ['RS384', 'RS512', 'PS384', 'PS512', 'ES384', 'ES512'];
  let lenient: HostileEnvironment;
  beforeAll(async () => {
    lenient = await startHostileEnvironment({ identity: { algorithms: allowed } });
  });
  afterAll(() => lenient.close());

  it.each(allowed)('an algorithm that is not allowed by default can be allowed by settings: %s', async (alg) => {
    const kid = ({ ES384: 'ec-384', ES512: 'ec-521' } as const)[alg] ?? 'rsa';
    const token = signed({ ...validClaims(), iss: lenient.issuer.url }, {}, kid, alg);
    const response = await send(lenient.portico, { path, headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
  });
});

describe('after all invalid tokens', () => {
  it('accepts valid tokens', async () => {
    expect((await bearing(signed(validClaims()))).status).toBe(200);
  });

  it('Portico requests only keys from the issuer: at the start, and at most every 30 seconds for unknown ones', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, nth) => bearing(withHeader({ kid: `unknown-${nth}` }))));
    const requests = environment.issuer.requests;
    expect(new Set(requests.map((request) => `${request.method} ${request.path}`))).toEqual(new Set(['GET /keys']));
    const pauses = requests.slice(2).map(({ at }, nth) => at - requests[nth + 1]!.at);
    expect(pauses.filter((ms) => ms < 29_000)).toEqual([]);
  });

  it('Portico requests no keys from other servers', () => {
    expect(elsewhere.requests).toEqual([]);
  });

  it('the log has no token and no member', () => {
    expect(environment.log()).not.toMatch(/eyJ|Bearer|PTY-/);
  });
});
