import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
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

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const strangerJwk = { ...jwkOf(stranger.publicKey), kid: 'stranger', use: 'sig' };

let environment: HostileEnvironment;
/** Somebody else's key set, for whoever would be told of it by a token. */
let elsewhere: Recorder;

beforeAll(async () => {
  elsewhere = await startRecorder(() => JSON.stringify({ keys: [strangerJwk] }));
  environment = await startHostileEnvironment();
});
afterAll(async () => {
  await environment.close();
  await elsewhere.close();
});
afterEach(() => {
  environment.downstream.requests.length = 0;
});

const now = () => Math.floor(Date.now() / 1000);
const good = () => ({ iss: environment.issuer.url, aud: 'portico', sub: 'PTY-1001', iat: now(), exp: now() + 300 });

/** The issuer's own, good but for these claims; one that is undefined is left out. */
const claiming = (claims: object) => signed({ ...good(), ...claims });

/** The issuer's own, good but for its header. */
const headed = (header: object) => signed(good(), header);

/** Good in every respect but who has signed it. */
const forged = (header: object, alg = 'RS256') => signed(good(), header, 'rsa', alg, stranger.privateKey);

/** As somebody makes it up who needs no key. */
const unsigned = (header: object | string, signature = '') => `${encode(header)}.${encode(good())}.${signature}`;

const keyed = (alg: string, secret: string | Buffer) => {
  const input = `${encode({ alg, kid: 'rsa' })}.${encode(good())}`;
  return `${input}.${createHmac(alg.replace('HS', 'sha'), secret).update(input).digest('base64url')}`;
};

/** The claims with a number in them that JSON.stringify does not write. */
const writing = (claim: string, number: string) =>
  signed(text({ ...good(), [claim]: 0 }).replace(`"${claim}":0`, `"${claim}":${number}`));

const parts = (token = signed(good())) => token.split('.') as [header: string, payload: string, signature: string];

/** Exactly so long, by what it and its header say beside the rest. */
const sized = (length: number): string => {
  for (let h = 0; h < 4; h++)
    for (let p = Math.floor(((length - 700) * 3) / 4); ; p++) {
      const token = signed({ ...good(), filler: 'x'.repeat(p) }, { filler: 'x'.repeat(h) });
      if (token.length === length) return token;
      if (token.length > length) break;
    }
  throw new Error('no such length');
};

/** What everybody can read of a key, as somebody would try it for a secret. */
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

const withSignature = (signature: string, token = signed(good())) =>
  `${token.slice(0, token.lastIndexOf('.') + 1)}${signature}`;

const resigned = (change: (signature: Buffer) => Buffer, token = signed(good())) =>
  withSignature(change(Buffer.from(parts(token)[2], 'base64url')).toString('base64url'), token);

const signedAsDer = () => {
  const token = signed(good(), {}, 'ec', 'ES256');
  const input = Buffer.from(token.slice(0, token.lastIndexOf('.')));
  return resigned(() => sign('sha256', input, issuerKeys.ec.privateKey), token);
};

/** One whose signature is spelled differently there. */
const plainAlphabet = (): string => {
  const token = signed({ ...good(), jti: String(Math.random()) });
  const [header, payload, signature] = parts(token);
  return /[-_]/.test(signature)
    ? `${header}.${payload}.${signature.replaceAll('-', '+').replaceAll('_', '/')}`
    : plainAlphabet();
};

const encrypted = () =>
  new CompactEncrypt(Buffer.from(text(good())))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'rsa' })
    .encrypt(issuerKeys.rsa.publicKey);

/** Another last character that decodes to the same bytes: RS256 leaves four bits of it unused. */
const strayBits = (segment: string) => segment.slice(0, -1) + alphabet[alphabet.indexOf(segment.at(-1) ?? '') + 1];
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const joined = (make: (header: string, payload: string, signature: string) => string) => () => make(...parts());

const path = '/me/coverage';
const bearing = (token: string, more: Request = {}): Promise<Answer> =>
  send(environment.portico, { path, ...more, headers: { authorization: `Bearer ${token}`, ...more.headers } });

const problem = {
  type: 'urn:portico:problem:unauthenticated',
  title: 'A valid access token is needed',
  status: 401,
  code: 'unauthenticated',
};

/** Nobody is let in, nobody else is asked, and what is said does not depend on what was wrong. */
const expectRefused = ({ status, headers, text }: Answer, challenge: string, detail: string) => {
  expect([status, headers['www-authenticate']]).toEqual([401, challenge]);
  expect(headers['content-type']).toBe('application/problem+json');
  expect({ ...(JSON.parse(text) as object), requestId: '' }).toEqual({ ...problem, detail, requestId: '' });
  expect([environment.downstream.requests, elsewhere.requests]).toEqual([[], []]);
};
const expectBad = (answer: Answer) =>
  expectRefused(answer, 'Bearer realm="portico", error="invalid_token"', 'The access token is not valid.');
const expectMissing = (answer: Answer) => expectRefused(answer, 'Bearer realm="portico"', 'There is no access token.');

const paths = () => environment.downstream.requests.map((request) => request.path);

type Rows = readonly (readonly [what: string, token: () => string | Promise<string>])[];

describe('a good token', () => {
  it.each<[string, () => string]>([
    ['signed with RS256', () => signed(good())],
    ['signed with PS256', () => signed(good(), {}, 'rsa', 'PS256')],
    ['signed with ES256', () => signed(good(), {}, 'ec', 'ES256')],
    ['signed with EdDSA', () => signed(good(), {}, 'ed', 'EdDSA')],
    ['typed JWT', () => headed({ typ: 'JWT' })],
    ['typed at+jwt', () => headed({ typ: 'at+jwt' })],
    ['without a kid, where one key fits', () => headed({ kid: undefined })],
    ['for several audiences', () => claiming({ aud: ['other', 'portico'] })],
    ['that says nothing of when it was issued', () => claiming({ iat: undefined })],
    ['of 8 KiB exactly', () => sized(8192)],
    ['that says b64 without making it critical (RFC 7797, section 6)', () => headed({ b64: false })],
    ['with a byte order mark before its claims (RFC 8259, section 8.1)', () => signed(`\uFEFF${text(good())}`)],
    [
      'that names keys elsewhere, which nobody asks',
      () => headed({ jwk: strangerJwk, jku: elsewhere.url, x5u: elsewhere.url }),
    ],
  ])('lets its member in: %s', async (_, token) => {
    const given = token();
    expect((await bearing(given)).status).toBe(200);
    expect(environment.downstream.requests).toMatchObject([
      { path: '/members/PTY-1001/coverage', headers: { authorization: `Bearer ${given}` } },
    ]);
    expect(elsewhere.requests).toEqual([]);
  });

  it.each(['Bearer ', 'bearer ', 'BEARER  '])('may come with the scheme written "%s"', async (scheme) => {
    expect(
      (await send(environment.portico, { path, headers: { authorization: scheme + signed(good()) } })).status,
    ).toBe(200);
  });

  it('speaks for its party locator, whatever its subject', async () => {
    await bearing(claiming({ sub: '../PTY-1', partyLocator: 'PTY-1002' }));
    expect(paths()).toEqual(['/members/PTY-1002/coverage']);
  });

  it('that says a claim twice means the last one (RFC 7519, section 4)', async () => {
    await bearing(signed(text(good()).replace('{', '{"sub":"PTY-1002",')));
    expect(paths()).toEqual(['/members/PTY-1001/coverage']);
  });
});

const signatures: Rows = [
  ...['none', 'None', 'NONE', 'nOnE', ''].map(
    (alg) => [`alg is "${alg}", with no signature`, () => unsigned({ alg })] as const,
  ),
  ['alg is none, with any signature', () => unsigned({ alg: 'none', kid: 'rsa' }, 'c2lnbmF0dXJl')],
  ['alg is none, with the signature of another token', () => unsigned({ alg: 'none', kid: 'rsa' }, parts()[2])],
  ['alg is written twice, none the last', () => unsigned('{"alg":"RS256","kid":"rsa","alg":"none"}', parts()[2])],
  ['there is no alg', () => headed({ alg: undefined })],
  ['alg is a number', () => headed({ alg: 256 })],
  ['alg is a list', () => headed({ alg: ['RS256'] })],
  ['alg is in small letters', () => headed({ alg: 'rs256' })],
  ...secrets.map(([name, secret]) => [`it is keyed with ${name}`, () => keyed('HS256', secret)] as const),
  ['it is keyed with the modulus in HS384', () => keyed('HS384', modulus)],
  ['it is keyed with the modulus in HS512', () => keyed('HS512', modulus)],
  ...['RS384', 'RS512', 'PS384', 'PS512'].map(
    (alg) => [`the issuer signed it with ${alg}, which is not allowed`, () => signed(good(), {}, 'rsa', alg)] as const,
  ),
  ['the issuer signed it with ES384, which is not allowed', () => signed(good(), {}, 'ec-384', 'ES384')],
  ['the issuer signed it with ES512, which is not allowed', () => signed(good(), {}, 'ec-521', 'ES512')],
  ['alg is Ed25519, which is not allowed', () => signed(good(), { alg: 'Ed25519' }, 'ed', 'EdDSA')],
  ['alg says RS256 of a PS256 signature', () => signed(good(), { alg: 'RS256' }, 'rsa', 'PS256')],
  ['alg says ES256 of an RSA key', () => headed({ alg: 'ES256' })],
  ['alg says RS256 of an EC key', () => signed(good(), { alg: 'RS256' }, 'ec', 'ES256')],
  ['alg says EdDSA of an EC key', () => signed(good(), { alg: 'EdDSA' }, 'ec', 'ES256')],
  ['alg says ES256 of a P-384 key', () => signed(good(), { alg: 'ES256' }, 'ec-384', 'ES384')],
  ['a stranger signed it under the kid of the issuer', () => forged({})],
  ['a stranger signed it under no kid', () => forged({ kid: undefined })],
  ['an ECDSA signature is all zeros', () => resigned(() => Buffer.alloc(64), signed(good(), {}, 'ec', 'ES256'))],
  ['an ECDSA signature is in DER', () => signedAsDer()],
  ['it has the signature of another token', () => withSignature(parts(claiming({ sub: 'PTY-1002' }))[2])],
  [
    'its payload is that of another token',
    joined((header, _, end) => `${header}.${encode({ ...good(), sub: 'PTY-1002' })}.${end}`),
  ],
  ['its signature lacks the last byte', () => resigned((signature) => signature.subarray(0, -1))],
  ['its signature has a byte too many', () => resigned((signature) => Buffer.concat([signature, Buffer.of(0)]))],
];

const keysNamed: Rows = [
  ['it brings its key along (jwk)', () => forged({ jwk: strangerJwk, kid: 'stranger' })],
  ['it brings its key along under the kid of the issuer', () => forged({ jwk: { ...strangerJwk, kid: 'rsa' } })],
  ['it says where its keys are (jku)', () => forged({ jku: `${elsewhere.url}/keys`, kid: 'stranger' })],
  ['it says where its certificate is (x5u)', () => forged({ x5u: `${elsewhere.url}/cert`, kid: 'stranger' })],
  [
    'it brings a certificate along (x5c)',
    () => forged({ x5c: [stranger.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] }),
  ],
  ['its kid is a URL', () => forged({ kid: `${elsewhere.url}/keys#stranger` })],
  ['its kid is a path', () => forged({ kid: '../../../../dev/null' })],
  ['its kid is SQL', () => forged({ kid: "x' UNION SELECT 'secret" })],
  ...[7, null, true, ['rsa'], { kid: 'rsa' }].map(
    (kid) => [`its kid is ${JSON.stringify(kid)}`, () => headed({ kid })] as const,
  ),
  ['its kid is empty', () => headed({ kid: '' })],
  ['its kid is unknown', () => headed({ kid: 'unknown' })],
  ['its kid has a blank more', () => headed({ kid: 'rsa ' })],
  ['its kid is in other letters', () => headed({ kid: 'RSA' })],
  ['its kid is the name of something every object has', () => headed({ kid: '__proto__' })],
  ['its kid is as long as a token may be', () => headed({ kid: 'k'.repeat(5000) })],
];

const headers: Rows = [
  ['a critical header is unknown', () => headed({ crit: ['urn:x'], 'urn:x': 1 })],
  ['a critical header is not there', () => headed({ crit: ['urn:x'] })],
  ['a claim is said to be a critical header', () => headed({ crit: ['exp'], exp: now() + 300 })],
  ['no header is critical, in a list', () => headed({ crit: [] })],
  ['crit is no list', () => headed({ crit: 'b64', b64: true })],
  ['crit is null', () => headed({ crit: null })],
  ['its payload is not encoded (b64)', () => headed({ crit: ['b64'], b64: false })],
  ...['id+jwt', 'logout+jwt', 'dpop+jwt', 'JOSE', 'application/json', '', 7, null, ['JWT']].map(
    (typ) => [`its typ is ${JSON.stringify(typ)}`, () => headed({ typ })] as const,
  ),
];

const times: Rows = [
  ['exp is not there', () => claiming({ exp: undefined })],
  ['exp is null', () => claiming({ exp: null })],
  ['exp is a text', () => claiming({ exp: String(now() + 300) })],
  ['exp is a list', () => claiming({ exp: [now() + 300] })],
  ['exp is true', () => claiming({ exp: true })],
  ['exp is long past', () => claiming({ iat: now() - 600, exp: now() - 300 })],
  ['exp is negative', () => claiming({ exp: -1 })],
  ['exp is 0', () => claiming({ exp: 0 })],
  ['exp is 1e300', () => writing('exp', '1e300')],
  ['exp is infinite', () => writing('exp', '1e999')],
  ['exp is in milliseconds', () => claiming({ exp: Date.now() + 300_000 })],
  ['it lives a second too long', () => claiming({ exp: now() + 86_401 })],
  ['it lives too long from now, not saying since when', () => claiming({ iat: undefined, exp: now() + 86_460 })],
  ['iat is to come', () => claiming({ iat: now() + 60 })],
  ['iat is a text', () => claiming({ iat: String(now()) })],
  ['iat is null', () => claiming({ iat: null })],
  ['iat is infinitely long ago', () => writing('iat', '-1e999')],
  ['nbf is to come', () => claiming({ nbf: now() + 60 })],
  ['nbf is infinite', () => writing('nbf', '1e999')],
  ['nbf is infinitely long ago', () => writing('nbf', '-1e999')],
  ['nbf is a text', () => claiming({ nbf: 'now' })],
];

const parties: Rows = [
  ['it is for nobody', () => claiming({ aud: undefined })],
  ['it is for somebody else', () => claiming({ aud: 'other' })],
  ['it is for others', () => claiming({ aud: ['other', 'portico2'] })],
  ['its audience is an empty list', () => claiming({ aud: [] })],
  ['its audience is a list in a list', () => claiming({ aud: [['portico']] })],
  ['its audience is a number', () => claiming({ aud: 1 })],
  ['its audience is an object', () => claiming({ aud: { portico: true, length: 1 } })],
  ['its audience is in other letters', () => claiming({ aud: 'Portico' })],
  ['its audience has a blank more', () => claiming({ aud: 'portico other' })],
  ['it has no issuer', () => claiming({ iss: undefined })],
  ['its issuer has a slash more', () => claiming({ iss: `${environment.issuer.url}/` })],
  ['its issuer is in other letters', () => claiming({ iss: environment.issuer.url.toUpperCase() })],
  ['its issuer is a list', () => claiming({ iss: [environment.issuer.url] })],
  ['its issuer is somebody else', () => claiming({ iss: elsewhere.url })],
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
  ['it names no member', () => claiming({ sub: undefined })],
  ...notLocators.flatMap((locator) => [
    [`its sub is ${JSON.stringify(locator).slice(0, 40)}`, () => claiming({ sub: locator })] as const,
    [
      `its party locator is ${JSON.stringify(locator).slice(0, 40)}, beside a good sub`,
      () => claiming({ partyLocator: locator }),
    ] as const,
  ]),
];

const forms: Rows = [
  ['it has no signature', joined((header, payload) => `${header}.${payload}`)],
  ['its signature is empty', joined((header, payload) => `${header}.${payload}.`)],
  ['its payload is empty', joined((header, _, signature) => `${header}..${signature}`)],
  ['its header is empty', joined((_, payload, signature) => `.${payload}.${signature}`)],
  ['it has four parts', joined((...all) => [...all, all[2]].join('.'))],
  ['it begins with a dot', () => `.${signed(good())}`],
  ['it ends in a dot', () => `${signed(good())}.`],
  ['it is one word', () => 'PTY-1001'],
  ['it is cut off in the middle', () => signed(good()).slice(0, 100)],
  [
    'its last bits are flipped, to the same bytes',
    joined((header, payload, signature) => `${header}.${payload}.${strayBits(signature)}`),
  ],
  ['it is padded', joined((header, payload, signature) => `${header}.${payload}.${signature}==`)],
  ['it is written in the plain base64 alphabet', () => plainAlphabet()],
  ['there is a blank in it', joined((header, payload, signature) => `${header}. ${payload}.${signature}`)],
  ['there is a tab in it', joined((header, payload, signature) => `${header}.${payload}.\t${signature}`)],
  ['it is quoted', () => `"${signed(good())}"`],
  ['it is percent-encoded', () => signed(good()).replaceAll('.', '%2E')],
  ['there are two, with a comma between', () => `${signed(good())}, ${signed(good())}`],
  ['it is preceded by a second "Bearer"', () => `Bearer ${signed(good())}`],
  [
    'it is in the flattened JSON serialisation',
    joined((header, payload, signature) => text({ payload, protected: header, signature })),
  ],
  [
    'it is in the general JSON serialisation',
    joined((header, payload, signature) => text({ payload, signatures: [{ protected: header, signature }] })),
  ],
  ['it is encrypted', () => encrypted()],
  ['its header is no JSON', joined((_, payload, signature) => `${encode('RS256')}.${payload}.${signature}`)],
  ['its header is a list', joined((_, payload, signature) => `${encode(['RS256'])}.${payload}.${signature}`)],
  ['its payload is no JSON', () => signed('sub=PTY-1001')],
  ['its payload is a list', () => signed([good()])],
  ['its payload is a text', () => signed('"PTY-1001"')],
  ['its payload is null', () => signed('null')],
  ['its payload is not all UTF-8', () => signed(Buffer.from(text({ ...good(), name: '\u00ff' }), 'latin1'))],
  ['its payload is in UTF-16', () => signed(Buffer.from(text(good()), 'utf16le'))],
  ['its payload is another token', () => signed(signed(good()), { cty: 'JWT' })],
  ['it has a byte more than 8 KiB', () => sized(8193)],
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
] as const)('a token is refused for its %s', (_, rows) => {
  it.each(rows)('when %s', async (_, token) => {
    expectBad(await bearing(await token()));
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
  ['under no scheme', (token) => ({ headers: { authorization: token } })],
  ['under an empty scheme', () => ({ headers: { authorization: 'Bearer ' } })],
  ['as Basic', (token) => ({ headers: { authorization: `Basic ${token}` } })],
  ['as Token', (token) => ({ headers: { authorization: `Token ${token}` } })],
  ['as DPoP', (token) => ({ headers: { authorization: `DPoP ${token}` } })],
  ['with a colon behind the scheme', (token) => ({ headers: { authorization: `Bearer: ${token}` } })],
  ['with a tab behind the scheme', (token) => ({ headers: { authorization: `Bearer\t${token}` } })],
  ['behind another scheme', (token) => ({ headers: { authorization: `Basic eDp5, Bearer ${token}` } })],
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

describe('a good token is not looked for', () => {
  it.each(ways)('%s', async (_, request) => {
    expectMissing(await send(environment.portico, { path, ...request(signed(good())) }));
  });
});

describe('a token', () => {
  it('is not the better one of two', async () => {
    const authorization = [`Bearer ${forged({})}`, `Bearer ${signed(good())}`];
    expectBad(await send(environment.portico, { path, headers: { authorization } }));
  });

  // What HTTP itself refuses does not reach the application: no token is seen, so none is refused. Who sends on and on
  // may be cut off before the answer has come through.
  it.each([
    [
      'is larger than all headers may be together',
      /^(?:HTTP\/1\.1 431 |$)/,
      () => headed({ kid: 'k'.repeat(1_000_000) }),
    ],
    ['is folded over two lines', /^HTTP\/1\.1 400 /, () => signed(good()).replace('.', '\r\n .')],
    ['holds a NUL', /^HTTP\/1\.1 400 /, () => signed(good()).replace('.', '\0.')],
  ])('that %s is not even read', async (_, answer, token) => {
    const header = `GET ${path} HTTP/1.1\r\nHost: portico\r\nAuthorization: Bearer ${token()}\r\n\r\n`;
    expect(await sendRaw(environment.portico, header)).toMatch(answer);
    expect(environment.downstream.requests).toEqual([]);
  });

  it('is refused on every route, whatever it asks', async () => {
    const token = forged({});
    for (const { method, path: asked, body } of memberRoutes) {
      const headers = { 'content-type': 'application/json' };
      const more = body === undefined ? {} : { headers, body: text(body) };
      expectBad(await bearing(token, { method, path: asked, ...more }));
    }
  });
});

describe('an algorithm that is refused', () => {
  const allowed = ['RS384', 'RS512', 'PS384', 'PS512', 'ES384', 'ES512'];
  let lenient: HostileEnvironment;
  beforeAll(async () => {
    lenient = await startHostileEnvironment({ identity: { algorithms: allowed } });
  });
  afterAll(() => lenient.close());

  it.each(allowed)('is only a matter of settings: %s', async (alg) => {
    const kid = ({ ES384: 'ec-384', ES512: 'ec-521' } as const)[alg] ?? 'rsa';
    const token = signed({ ...good(), iss: lenient.issuer.url }, {}, kid, alg);
    const answer = await send(lenient.portico, { path, headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
  });
});

describe('after all that', () => {
  it('good tokens are still let in', async () => {
    expect((await bearing(signed(good()))).status).toBe(200);
  });

  it('the issuer was asked for its keys and nothing else: at the start, and at most every 30 seconds for unknown ones', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, nth) => bearing(headed({ kid: `unknown-${nth}` }))));
    const asked = environment.issuer.requests;
    expect(new Set(asked.map((request) => `${request.method} ${request.path}`))).toEqual(new Set(['GET /keys']));
    const pauses = asked.slice(2).map(({ at }, nth) => at - asked[nth + 1]!.at);
    expect(pauses.filter((ms) => ms < 29_000)).toEqual([]);
  });

  it('nobody else was asked for keys', () => {
    expect(elsewhere.requests).toEqual([]);
  });

  it('the log holds no token and no member', () => {
    expect(environment.log()).not.toMatch(/eyJ|Bearer|PTY-/);
  });
});
