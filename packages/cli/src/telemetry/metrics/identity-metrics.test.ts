import { tokenRefusals } from '@portico/core';
import { fakeClock } from '@portico/core/testing';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { bearer, sendJson } from '../../program/outside-world.test.support.ts';
import { identityMetrics } from './identity-metrics.ts';
import { measuredPortico } from './measured-portico.test.support.ts';

const test = { onTestFinished };

it('a running server counts and logs refused tokens by reason, and never logs a claim', async () => {
  const { url, identity, series, entries, metrics } = await measuredPortico(test, (response) => sendJson(response, {}));
  const past = Math.floor(Date.now() / 1000) - 600;
  const [header, , signature] = identity.token().split('.');
  const unsigned = identity.token({ sub: 'PTY-canary' }).split('.')[1];
  const tokens = {
    audience: identity.token({ aud: 'canary' }),
    issuer: identity.token({ iss: 'https://canary.example' }),
    expired: identity.token({ exp: past }),
    'not-yet': identity.token({ nbf: past + 100_000 }),
    lifetime: identity.token({ exp: past + 1_000_000 }),
    locator: identity.token({ sub: 'canary/1' }),
    signature: `${header}.${unsigned}.${signature}`,
    malformed: 'canary',
  };
  for (const token of Object.values(tokens))
    expect((await fetch(`${url}/me/coverage`, bearer(token))).status).toBe(401);
  await fetch(`${url}/me/coverage`, bearer(tokens.audience));

  const counted = (reason: string) => (reason === 'audience' ? 2 : reason in tokens ? 1 : 0);
  await expect
    .poll(() => series(/^portico_tokens_refused_total/), { interval: 1 })
    .toEqual(tokenRefusals.map((reason) => `portico_tokens_refused_total{reason="${reason}"} ${counted(reason)}`));
  const warnings = entries.filter(({ level }) => level === 'warn');
  expect(new Set(warnings.map(({ fields }) => fields['reason']))).toEqual(new Set(Object.keys(tokens)));
  expect(new Set(warnings.map(({ message }) => message))).toEqual(new Set(['a token was refused']));
  expect(JSON.stringify(entries) + (await metrics())).not.toContain('canary');
});

it('the identity metrics export the age of the keys, and count failed requests for them by reason', async () => {
  const clock = fakeClock();
  const registry = new Registry();
  const { keySetObserver } = identityMetrics(registry, clock);
  const keySeries = async () =>
    (await registry.metrics()).split('\n').filter((line) => /^portico_identity_.* (?!0$)/.test(line));
  expect(await keySeries()).toEqual(['portico_identity_keys_age_seconds +Inf']);
  const observer = keySetObserver();
  observer.keysLoaded?.();
  clock.advance(90_000);
  observer.keysFailed?.('timeout');
  expect(await keySeries()).toEqual([
    'portico_identity_keys_age_seconds 90',
    'portico_identity_keys_failures_total{reason="timeout"} 1',
  ]);
  observer.keysLoaded?.();
  expect((await keySeries())[0]).toBe('portico_identity_keys_failures_total{reason="timeout"} 1');
});

it('the identity metrics export the age of the oldest keys of several identity providers', async () => {
  const clock = fakeClock();
  const registry = new Registry();
  const { keySetObserver } = identityMetrics(registry, clock);
  const [one, other] = [keySetObserver(), keySetObserver()];
  const age = async () => /^portico_identity_keys_age_seconds (.*)$/m.exec(await registry.metrics())?.[1];
  one.keysLoaded?.();
  expect(await age()).toBe('+Inf');
  clock.advance(30_000);
  other.keysLoaded?.();
  expect(await age()).toBe('30');
  one.keysLoaded?.();
  clock.advance(5000);
  expect(await age()).toBe('5');
});

it('the identity metrics export the age of the keys of a running server', async () => {
  const { url, identity, series } = await measuredPortico(test, (response) => sendJson(response, {}));
  await (await fetch(`${url}/me/coverage`, bearer(identity.token()))).text();

  expect(await series(/^portico_identity_keys_age_seconds/)).toEqual([
    expect.stringMatching(/^portico_identity_keys_age_seconds \d+\.\d+/) as string,
  ]);
});
