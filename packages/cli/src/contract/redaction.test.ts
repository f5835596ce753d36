import { expect, it } from 'vitest';
import { redaction } from './redaction.ts';

const redact = redaction(['PTY-1|a', 'opaque-token', 'CLM-1', 'x']);

it.each([
  ['is in PTY-1|a and pty', 'is in *** and pty'],
  ['GET /members/PTY-1%7Ca/claims', 'GET /members/***/claims'],
  ['threw: connect to https://claims.internal:8443/v1 failed', 'threw: connect to *** failed'],
  [String.raw`cannot parse https://claims.internal:8443\members\Sample`, 'cannot parse ***'],
  [String.raw`cannot parse https://claims.internal\u002Fmembers\u002FSample`, 'cannot parse ***'],
  ['a token eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.sig', 'a token ***'],
  [
    'the claim\'s locator: expected "***", got undefined',
    "the claim's locator: expected ***, but there is no such field",
  ],
  ['the claim\'s locator: expected "***", got "CLM-2"', "the claim's locator: expected ***, got another value"],
  ['the amount: expected "12.50", got "99.00"', 'the amount: expected "12.50", got "99.00"'],
  ['expected {"sms":true}, got {"sms":false}', 'expected {"sms":true}, got {"sms":false}'],
  [
    'got {"state":"withdrawn","name":"Sample Member","claimLocator":"clm","born":"1984-04-01"}',
    'got {"state":"withdrawn","name":"…","claimLocator":"***","born":"…"}',
  ],
  [
    String.raw`got {"note":"<a href=\"https://x.example\">x</a>","name":"Sample Member","born":"1984-04-01"}`,
    'got {"note":"…","name":"…","born":"…"}',
  ],
  ['got {"a@b.example":true,"123-45":true,"@type":"plan"}', 'got {"…":true,"…":true,"@type":"plan"}'],
  ['got {"born":19840401,"met": -12.5,"count":[]}', 'got {"born":…,"met": …,"count":[]}'],
  ['got {"amounts":[12.5, -3],"other":[[1]]}', 'got {"amounts":[…, …],"other":[[…]]}'],
  ['the number of writes: expected 1, got 2', 'the number of writes: expected 1, got 2'],
  [`the patched field: expected "Contract", got "Sample Member"`, 'the patched field: expected "…", got "…"'],
  [
    `the second response: expected ${JSON.stringify('"Sample"')}, got "active"`,
    'the second response: expected "…", got "active"',
  ],
  ['the length: expected "12", got "123456789"', 'the length: expected "12", got "…"'],
  [`got ${JSON.stringify('{"name":"Sample"}')}`, 'got "…"'],
  [`got ${JSON.stringify(['["Sample"]', 'not-found'])}`, 'got ["…","not-found"]'],
  [`expected ${JSON.stringify([...Buffer.from('%PDF-1.7')])}, got []`, 'expected [***], got []'],
])('redaction shows the reason without private data: %s', (reason, shown) => {
  expect(redact(reason)).toBe(shown);
});

it('redaction cuts long reasons', () => {
  expect(redact('a'.repeat(1000))).toHaveLength(402);
});
