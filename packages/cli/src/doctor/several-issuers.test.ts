import { systemClock } from '@portico/core/system';
import { expect, it, onTestFinished } from 'vitest';
import { identityProvider, serviceEnvironment, webServer } from '../program/outside-world.test.support.ts';
import { settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';
import { checkRunner } from './check.ts';
import { examine } from './doctor.ts';

const test = { onTestFinished };

/** Examines two providers, the second of which has no key set, with a token. */
const examineTwo = async (tokenOf: (providers: readonly Awaited<ReturnType<typeof identityProvider>>[]) => string) => {
  const providers = [await identityProvider(test), await identityProvider(test)];
  const service = await webServer(test, (response) => response.end());
  const [one, two] = providers.map(({ issuer, jwksUrl }) => ({ issuer, jwksUrl }));
  const identity = [
    { ...one, clients: ['web'] },
    { ...two, audience: ['other'] },
    { ...one, issuer: 'https://three.example', jwksUrl: `${service.url}/none` },
  ];
  const env = serviceEnvironment(service.url);
  const loaded = settingsOf({ flags: { '--config': settingsFile({ identity }) }, env });
  const check = checkRunner(systemClock, new AbortController().signal, 600_000);
  const { checks, token = [] } = await examine(loaded, tokenOf(providers), systemClock, check);
  return {
    checks: Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome])),
    failed: token.filter(({ outcome }) => outcome === 'failed').map(({ rule }) => rule),
  };
};

it('portico doctor examines every identity provider by its number in the settings', async () => {
  const { checks } = await examineTwo(([one]) => one!.token({ azp: 'web' }));
  expect(checks).toMatchObject({
    'issuer (identity.0)': 'not-tested',
    'key set (identity.0)': 'ok',
    "provider's clock (identity.0)": 'ok',
    'key set (identity.1)': 'ok',
    'key set (identity.2)': 'failed',
  });
});

it.each<[string, Parameters<typeof examineTwo>[0], readonly string[]]>([
  ['the first issuer', ([one]) => one!.token({ azp: 'web' }), []],
  ['the first issuer, for another client', ([one]) => one!.token({ azp: 'app' }), ['client']],
  ['the second issuer', ([, two]) => two!.token({ aud: 'other', azp: 'app' }), []],
  ['the second issuer, for the audience of the first', ([, two]) => two!.token(), ['audience']],
  ['the first issuer, signed by the second', ([one, two]) => two!.token({ iss: one!.issuer }), ['signature', 'client']],
  ['an unknown issuer', ([one]) => one!.token({ iss: 'https://four.example', azp: 'web' }), ['issuer']],
  ['no issuer', ([one]) => one!.token({ iss: undefined, azp: 'web' }), ['issuer']],
])('portico doctor compares a token with the rules of its issuer: %s', async (_, tokenOf, broken) => {
  expect((await examineTwo(tokenOf)).failed).toEqual(broken);
});
