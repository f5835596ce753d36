import { base64url, CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';
import { beforeAll, expect, it, test } from 'vitest';
import { identityDefaults } from './identity.ts';
import { diagnoseToken, type TokenFinding, type TokenRules } from './token-diagnosis.ts';

const now = 1_767_225_600;
const good = { iss: 'https://id.test', aud: 'portico', sub: 'PTY-1', iat: now, exp: now + 300 };
const rules: TokenRules = {
  ...identityDefaults,
  algorithms: ['ES256', 'PS256'],
  issuer: 'https://id.test',
  audience: ['portico', 'portal'],
  locatorClaim: 'auto',
};

let privateKey: CryptoKey;
let jwk: JWK;
let otherJwk: JWK;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  privateKey = pair.privateKey;
  jwk = await exportJWK(pair.publicKey);
  otherJwk = await exportJWK((await generateKeyPair('ES256')).publicKey);
});

const token = (claims: object = {}, header: object = {}) =>
  new CompactSign(new TextEncoder().encode(JSON.stringify({ ...good, ...claims })))
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header })
    .sign(privateKey);

/** A token whose signature cannot be verified. */
const unsigned = (header: string, claims = JSON.stringify(good)) =>
  `${base64url.encode(header)}.${base64url.encode(claims)}.AAAA`;

const diagnose = (given: string, more: Partial<TokenRules> = {}, keys: unknown = { keys: [{ ...jwk, kid: 'k1' }] }) =>
  diagnoseToken(given, { ...rules, ...more }, keys, now * 1000);

const findingOf = (findings: readonly TokenFinding[], rule: TokenFinding['rule']) => {
  const { holds, expected, found } = findings.find((finding) => finding.rule === rule)!;
  return { holds, expected, found };
};

it('the findings state for each rule of a good token what is expected and what the token has', async () => {
  const findings = await diagnose(await token());
  expect(findings.map(({ rule, expected, found }) => [rule, expected, found])).toEqual([
    ['form', 'a signed JWT of at most 8 KiB', 'a signed JWT'],
    ['algorithm', 'ES256, PS256', 'ES256'],
    ['type', 'none, jwt, at+jwt, application/at+jwt', 'none'],
    ['key', 'a published key', 'kid k1'],
    ['signature', 'made with that key', 'made with that key'],
    ['issuer', 'https://id.test', 'https://id.test'],
    ['audience', 'portico or portal', 'portico'],
    [
      'lifetime',
      'exp is in the future and at most 86400 s after iat; iat and nbf are not in the future (tolerance 5 s)',
      'exp 2026-01-01T00:05:00.000Z',
    ],
    ['binding', 'not bound to a key', 'not bound to a key'],
    ['program', 'partyLocator, or a sub that is not the client', 'client_id none, azp none'],
    ['client', 'any', 'client_id none, azp none'],
    ['locator', 'partyLocator, else sub, is a locator', 'sub is a locator; claims: iss, aud, sub, iat, exp'],
  ]);
});

it.each([
  ['an opaque token', 'opaque'],
  ['a token whose header is not JSON', unsigned('header')],
  ['a token whose claims are not JSON', unsigned('{"alg":"ES256"}', 'claims')],
])('%s has another form, and nothing else is compared', async (_, given) => {
  expect(await diagnose(given)).toEqual([
    {
      rule: 'form',
      holds: false,
      expected: 'a signed JWT of at most 8 KiB',
      found: `something else, of ${given.length} characters`,
    },
  ]);
});

it.each<[string, object, string | undefined]>([
  ['expires a second after the tolerance ends', { exp: now - 4 }, undefined],
  ['has expired when the tolerance ends', { exp: now - 5 }, 'the token has expired'],
  ['was issued at the end of the tolerance', { iat: now + 5 }, undefined],
  ['was issued after the tolerance', { iat: now + 6 }, 'iat is in the future'],
  ['is valid at the end of the tolerance', { nbf: now + 5 }, undefined],
  ['is valid only after the tolerance', { nbf: now + 6 }, 'nbf is in the future'],
  ['has the maximum lifetime', { exp: now + 86_400 }, undefined],
  ['has a longer lifetime', { exp: now + 86_401 }, 'the lifetime is longer than allowed'],
  ['was issued earlier and has a longer lifetime', { iat: now - 86_400 }, 'the lifetime is longer than allowed'],
  ['has the maximum lifetime from now and no iat', { iat: undefined, exp: now + 86_400 }, undefined],
  ['expires too late and has no iat', { iat: undefined, exp: now + 86_401 }, 'the lifetime is longer than allowed'],
  ['has no exp', { exp: undefined }, 'there is no exp'],
  ['has a date as exp', { exp: '2026-01-01' }, 'exp is not a number of seconds'],
  ['has a date as iat', { iat: '2026-01-01' }, 'iat is not a number of seconds'],
  ['has a date as nbf', { nbf: '2026-01-01' }, 'nbf is not a number of seconds'],
])('the lifetime of a token that %s is judged by the clock', async (_, claims, problem) => {
  const { holds, found } = findingOf(await diagnose(await token(claims)), 'lifetime');
  expect({ holds, problem: found.split(': ')[1] }).toEqual({ holds: problem === undefined, problem });
});

it.each([
  ['a date', '"2026-01-01"', 'exp 2026-01-01: exp is not a number of seconds'],
  ['null', 'null', 'exp null: exp is not a number of seconds'],
  ['a list', '[1]', 'exp [1]: exp is not a number of seconds'],
  ['a year that no date has', '1e300', 'exp 1e+300: the lifetime is longer than allowed'],
  ['infinite', '1e999', 'exp null: exp is not a number of seconds'],
])('an exp that is %s is shown as it is', async (_, exp, expected) => {
  const given = unsigned('{"alg":"ES256"}', `{"iat":${now},"exp":${exp}}`);
  expect(findingOf(await diagnose(given), 'lifetime')).toMatchObject({ holds: false, found: expected });
});

it.each<[string, object, boolean, string]>([
  ['one of several audiences', { aud: ['other', 'portal'] }, true, '["other","portal"]'],
  ['no known audience', { aud: ['other'] }, false, '["other"]'],
  ['no audience', { aud: undefined }, false, 'none'],
])('a token with %s is compared with all of ours', async (_, claims, holds, found) => {
  expect(findingOf(await diagnose(await token(claims)), 'audience')).toMatchObject({ holds, found });
});

it.each<[string, boolean, string]>([
  ['"AT+JWT"', true, 'AT+JWT'],
  ['"Application/at+jwt"', true, 'Application/at+jwt'],
  ['"id+jwt"', false, 'id+jwt'],
  ['7', false, '7'],
])('the type %s of a token is compared without regard to case', async (typ, holds, found) => {
  const given = unsigned(`{"alg":"ES256","typ":${typ}}`);
  expect(findingOf(await diagnose(given), 'type')).toMatchObject({ holds, found });
});

it.each([
  ['none', '{"kid":"k1"}', 'none'],
  ['a list', '{"kid":"k1","alg":["ES256"]}', '["ES256"]'],
  ['one that is not allowed', '{"kid":"k1","alg":"HS256"}', 'HS256'],
])('an algorithm is refused when it is %s', async (_, header, found) => {
  expect(findingOf(await diagnose(unsigned(header)), 'algorithm')).toMatchObject({ holds: false, found });
});

test('the signature is not tested without a key set', async () => {
  const findings = await diagnoseToken(await token(), rules, undefined, now * 1000);
  expect(findingOf(findings, 'key')).toEqual({ holds: undefined, expected: 'a published key', found: 'kid k1' });
  expect(findingOf(findings, 'signature')).toEqual({
    holds: undefined,
    expected: 'made with that key',
    found: 'not tested: there is no key set',
  });
});

test('the signature is not tested when the algorithm is not allowed', async () => {
  const findings = await diagnose(await token(), { algorithms: ['PS256'] });
  expect(findingOf(findings, 'key')).toEqual({ holds: undefined, expected: 'a published key', found: 'kid k1' });
  expect(findingOf(findings, 'signature')).toEqual({
    holds: undefined,
    expected: 'made with that key',
    found: 'not tested: the algorithm is not allowed',
  });
});

test('the signature is not tested when no key fits', async () => {
  const findings = await diagnose(await token({}, { kid: 'k2' }));
  expect(findingOf(findings, 'key')).toEqual({ holds: false, expected: 'a published key', found: 'kid k2' });
  expect(findingOf(findings, 'signature')).toEqual({
    holds: undefined,
    expected: 'made with that key',
    found: 'not tested: no key fits',
  });
});

test('a forged signature does not verify, although a key fits', async () => {
  const findings = await diagnose(await token(), {}, { keys: [{ ...otherJwk, kid: 'k1' }] });
  expect(findingOf(findings, 'key')).toMatchObject({ holds: true });
  expect(findingOf(findings, 'signature')).toEqual({
    holds: false,
    expected: 'made with that key',
    found: 'made with another key, or the token was changed',
  });
});

test('a signature cannot be verified when the key set is none', async () => {
  const findings = await diagnose(await token(), {}, { keys: 'none' });
  expect(findingOf(findings, 'key')).toMatchObject({ holds: undefined });
  expect(findingOf(findings, 'signature')).toEqual({
    holds: false,
    expected: 'made with that key',
    found: 'cannot be verified',
  });
});

test('a token without a key id is verified with each key that fits', async () => {
  const findings = await diagnose(await token({}, { kid: undefined }), {}, { keys: [otherJwk, jwk] });
  expect(findingOf(findings, 'key')).toMatchObject({ holds: true, found: 'kid none' });
  expect(findingOf(findings, 'signature')).toMatchObject({ holds: true, found: 'made with that key' });
});

it.each<[Partial<TokenRules>, object, Readonly<Record<string, object>>]>([
  [
    { dpop: 'accept' },
    { cnf: { jkt: 'k' } },
    { binding: { holds: true, expected: 'any', found: 'has a cnf' }, program: { holds: true } },
  ],
  [
    { dpop: 'require' },
    { cnf: { jkt: 'k' } },
    { binding: { holds: true, expected: 'bound to a key (cnf.jkt)', found: 'has a cnf' } },
  ],
  [
    { clients: ['web'] },
    { azp: 'web' },
    { binding: { holds: true }, program: { holds: true }, client: { holds: true } },
  ],
  [{ dpop: 'accept' }, {}, { binding: { holds: true } }],
  [{ dpop: 'require' }, {}, { binding: { holds: false }, program: { holds: undefined }, client: { holds: undefined } }],
  [{ dpop: 'accept' }, { cnf: { 'x5t#S256': 'k' } }, { binding: { holds: false } }],
  [
    { clients: ['web'] },
    { cnf: { jkt: 'k' }, azp: 'app' },
    { binding: { holds: false, found: 'has a cnf' }, program: { holds: undefined }, client: { holds: undefined } },
  ],
  [{ memberTokensOnly: true }, { azp: 'PTY-1' }, { program: { holds: false }, client: { holds: undefined } }],
  [{ memberTokensOnly: false }, { azp: 'PTY-1' }, { program: { holds: true, expected: 'any' } }],
  [
    { clients: ['web', 'app'] },
    { client_id: 'web', azp: 'tv' },
    {
      program: { holds: true },
      client: { holds: false, expected: 'web or app', found: 'client_id web, azp tv' },
    },
  ],
])('the rules %j judge a token with %j by who may use it', async (more, claims, expected) => {
  const findings = await diagnose(await token(claims), more);
  for (const [rule, finding] of Object.entries(expected))
    expect(findingOf(findings, rule as TokenFinding['rule'])).toMatchObject(finding);
});

it.each<[string, string, object, object]>([
  ['partyLocator', 'auto', { partyLocator: 'PTY-2' }, { holds: true, found: 'partyLocator is a locator' }],
  ['a locator that is none', 'auto', { sub: '../PTY-1' }, { holds: false, found: 'sub is not a locator' }],
  ['no locator', 'auto', { sub: undefined }, { holds: false, found: 'sub is missing' }],
  ['a claim of its own', 'member', { member: 'PTY-2' }, { holds: true, found: 'member is a locator' }],
  ['no such claim', 'member', {}, { holds: false, found: 'member is missing' }],
])('the locator of a token with %s is read from the claim %s', async (_, locatorClaim, claims, expected) => {
  const finding = findingOf(await diagnose(await token(claims), { locatorClaim }), 'locator');
  expect({ holds: finding.holds, found: finding.found.split(';')[0] }).toEqual(expected);
  expect(finding.expected).toBe(
    locatorClaim === 'auto' ? 'partyLocator, else sub, is a locator' : 'member is a locator',
  );
});
