import {
  httpClaims,
  httpConsent,
  httpDocuments,
  httpEligibility,
  httpIdentity,
  httpNotifications,
  httpPolicy,
} from '@portico/adapters-http';
import { createServer } from '@portico/adapters-koa';
import { createUseCases } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { listening } from '@portico/demo/ports';
import fc from 'fast-check';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Recorder, send, startRecorder } from './hostile-environment.ts';

const issuer = 'https://issuer.example';
const { privateKey, publicKey } = await generateKeyPair('ES256');
const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] });

let provider: Recorder;
let downstream: Recorder;
let portico: Awaited<ReturnType<typeof listening>>;

beforeAll(async () => {
  provider = await startRecorder(() => jwks);
  downstream = await startRecorder(() => '{}');
  const { url } = downstream;
  const useCases = createUseCases({
    identity: httpIdentity({ issuer, audience: ['portico'], jwksUrl: provider.url }),
    eligibility: httpEligibility({ url }),
    claims: httpClaims({ url }),
    documents: httpDocuments({ url }),
    policy: httpPolicy({ url }),
    notifications: httpNotifications({ url }),
    consent: httpConsent({ url }),
    clock: systemClock,
  });
  portico = await listening(createServer(useCases));
});
afterAll(() => {
  for (const server of [portico, downstream, provider]) server.close();
});

const tokenWith = (claims: Record<string, unknown>) =>
  new SignJWT({ iss: issuer, aud: 'portico', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);

/** All paths that may be requested downstream for this member, with the query parameters that lists relay. */
const pathsOf = (locator: string) => {
  const member = encodeURIComponent(locator).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const paths = `(?:/members/${member}/(?:coverage|accumulators|(?:claims|documents)(?:/[A-Za-z0-9][A-Za-z0-9._%-]*)?)|/(?:parties|preferences|consent)/${member}|/(?:notifications|log)/list)`;
  return new RegExp(
    `^${paths}(?:\\?(?:(?:^|&)?(?:page|pageSize|limit|cursor|offset|sort|status|type|from|to)=[^&]*)+)?$`,
  );
};

const victim = 'PTY-VICTIM';

const nasty = fc.oneof(
  fc.constantFrom(
    victim,
    `../${victim}`,
    `..%2f${victim}`,
    `%2e%2e/${victim}`,
    `%2e%2e%2f${victim}/claims`,
    `..;/${victim}`,
    `CLM-1/../../${victim}`,
    `CLM-1%00${victim}`,
    `CLM-1?partyLocator=${victim}`,
    `CLM-1#${victim}`,
    `CLM-1%0d%0ax-party-locator:%20${victim}`,
    `\\..\\${victim}`,
    '.',
    '..',
    'CLM-1',
    '%',
    '%ff',
  ),
  fc.stringMatching(/^[!-~]{0,40}$/),
);

const noun = fc.constantFrom(
  'coverage',
  'accumulators',
  'claims',
  'documents',
  'profile',
  'preferences',
  'consent',
  'notifications',
  'notifications/log',
);
const path = fc.oneof(
  fc.tuple(noun, nasty).map(([name, rest]) => `/me/${name}/${rest}`),
  fc.tuple(noun, nasty, nasty).map(([name, key, value]) => `/me/${name}?${key}=${value}`),
  fc
    .tuple(noun, nasty)
    .map(([name, value]) => `/me/${name}?status=${encodeURIComponent(value)}&partyLocator=${victim}`),
  fc.tuple(noun, nasty).map(([name, value]) => `/me/${name}?sort=${encodeURIComponent(value)}`),
  fc.tuple(nasty, noun).map(([before, name]) => `/me/${before}/${name}`),
  noun.map((name) => `http://${victim}.example/me/${name}`),
  nasty.map((anything) => `/${anything}`),
);
const headers = fc.dictionary(
  fc.constantFrom(
    'x-party-locator',
    'partyLocator',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-original-url',
    'x-rewrite-url',
    'x-http-method-override',
    'forwarded',
    'cookie',
    'range',
    'if-none-match',
    'idempotency-key',
    'host',
  ),
  fc.oneof(fc.constant(victim), fc.constant(`/members/${victim}/claims`), fc.stringMatching(/^[!-~]{1,40}$/)),
);
const body = fc.oneof(
  fc.json(),
  fc.constantFrom(
    `{"partyLocator":"${victim}"}`,
    `{"party\\u004cocator":"${victim}","amount":1}`,
    `{"a":{"x-party-locator":"${victim}","b":[{"memberLocator":"${victim}"}]},"amount":1}`,
    `{"__proto__":{"partyLocator":"${victim}"},"amount":1}`,
    `{"locator":"${victim}"}`,
    `{"amount":1,"partyLocator":"x","partyLocator":"${victim}"}`,
  ),
);

/** The locator rule, repeated here independently. */
const valid = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:|@-]{0,127}$/.test(value) && !value.includes('..');

describe('isolation of members', () => {
  it('sends downstream requests only to paths of the member in the token', async () => {
    const token = await tokenWith({ partyLocator: 'PTY-1001' });
    const allowed = pathsOf('PTY-1001');
    let relayed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'GET', 'POST', 'PUT', 'PATCH', 'HEAD', 'DELETE'),
        path,
        headers,
        body,
        async (method, target, extra, content) => {
          downstream.requests.length = 0;
          const withBody = ['POST', 'PUT', 'PATCH'].includes(method);
          const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(content)) };
          const { status } = await send(portico, {
            method,
            path: target,
            headers: { ...extra, authorization: `Bearer ${token}`, ...(withBody && length) },
            ...(withBody && { body: content }),
          });
          expect(status).toBeLessThanOrEqual(502);
          expect(status).not.toBe(500);
          expect(downstream.requests.length).toBeLessThanOrEqual(1);
          relayed += downstream.requests.length;
          for (const request of downstream.requests) {
            expect(request.path).toMatch(allowed);
            expect(new URL(request.path, 'http://x').pathname).toBe(request.path.split('?')[0]);
            expect(request.headers.authorization).toBe(`Bearer ${token}`);
            expect(
              JSON.stringify({ ...request.headers, range: '', 'if-none-match': '', 'idempotency-key': '' }),
            ).not.toContain(victim);
            expect(request.body).not.toMatch(/(?:party|member)[-_]?locator|party\\u004cocator/i);
          }
        },
      ),
      { numRuns: 600 },
    );
    expect(relayed).toBeGreaterThan(0);
  });

  it('accepts a token only for the one member in its claims', async () => {
    const claim = fc.oneof(
      fc.constantFrom(
        'PTY-1001',
        'auth0|a@b.example:1',
        victim,
        `${victim}/../x`,
        '..',
        'a..b',
        '',
        ' PTY-1001',
        'x'.repeat(129),
      ),
      fc.string(),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(fc.option(claim, { nil: undefined }), claim, async (partyLocator, sub) => {
        downstream.requests.length = 0;
        const token = await tokenWith({ sub, ...(partyLocator !== undefined && { partyLocator }) });
        const headers = { authorization: `Bearer ${token}` };
        const { status } = await send(portico, { path: '/me/claims/CLM-1', headers });
        const member = partyLocator === undefined ? sub : partyLocator;
        if (valid(member)) {
          expect(status).toBe(200);
          expect(downstream.requests.map((request) => request.path)).toEqual([
            `/members/${encodeURIComponent(member)}/claims/CLM-1`,
          ]);
        } else expect([status, downstream.requests]).toEqual([401, []]);
      }),
      { numRuns: 300 },
    );
  });
});
