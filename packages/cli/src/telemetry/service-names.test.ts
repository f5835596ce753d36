import { expect, it } from 'vitest';
import { legAt } from '../program/outside-world.test.support.ts';
import { memberApi, settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';
import { serviceNames } from './service-names.ts';

const gateway = 'https://gateway.example/api';

const nameOf = () => {
  const shared = Object.fromEntries(Object.keys(memberApi.downstreams).map((name) => [name, { url: gateway }]));
  const config = settingsFile({
    identity: { ...memberApi.identity, jwksUrl: 'https://keys.example/jwks' },
    downstreams: {
      ...shared,
      policy: { url: 'https://policy.example/v1/' },
      visits: { url: gateway, routes: { 'GET /me/visits/{id}': { path: '/visits/{partyLocator}/{id}' } } },
    },
    search: { legs: { moa: legAt('https://beckn.example') }, registryUrl: 'https://beckn.example/registry' },
  });
  return serviceNames(settingsOf({ flags: { '--config': config } }).settings, 'https://portico.example');
};

it.each([
  [`${gateway}/members/PTY-1/claims`, 'claims'],
  [`${gateway}/members/PTY-1/claims?status=paid`, 'claims'],
  [`${gateway}/members/PTY-1/claims/CLM-1`, 'claims'],
  [`${gateway}/members/PTY-1/coverage`, 'eligibility'],
  [`${gateway}/consent/PTY-1`, 'consent'],
  [`${gateway}/visits/PTY-1/VISIT-1`, 'visits'],
  ['https://policy.example/v1/parties/PTY-1', 'policy'],
  ['https://policy.example/v1/', 'policy'],
  ['https://policy.example/v2', 'other'],
  ['https://beckn.example/search', 'leg moa'],
  ['https://beckn.example/registry/lookup', 'registry'],
  ['https://keys.example/jwks', 'identity'],
  ['https://identity.example/realms/portico/protocol/openid-connect/token', 'identity'],
  ['https://portico.example/api/search', 'portico'],
  ['https://elsewhere.example/members/PTY-1/claims', 'other'],
])('serviceNames names the service behind %s: %s', (url, name) => {
  expect(nameOf()(url)).toBe(name);
});
