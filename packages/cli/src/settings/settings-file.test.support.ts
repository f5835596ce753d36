import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { directory, legAt } from '../program/outside-world.test.support.ts';
import { type LoadedSettings, loadSettings, type SettingProblem, type SettingSources } from './load.ts';

/** Loads valid settings. */
export const settingsOf = (sources: SettingSources): LoadedSettings =>
  loadSettings(sources).match(
    (loaded) => loaded,
    (problems) => {
      throw new Error(`invalid settings: ${JSON.stringify(problems)}`);
    },
  );

/** Returns the problems of invalid settings. */
export const problemsOf = (sources: SettingSources): readonly SettingProblem[] =>
  loadSettings(sources).match(
    () => [],
    (problems) => problems,
  );

/** Creates a settings file that is removed after the test. A string is written unchanged. */
export const settingsFile = (content: unknown): string => {
  const path = join(directory({ onTestFinished }), 'portico.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

const service = (name: string) => ({ url: `https://${name}.example`, timeoutMs: 5000, paths: {} });

const leg = legAt('https://gateway.example');

/** The member API part of the contract's sample file (section 6), with all placeholders replaced, and without nulls. */
export const memberApi = {
  identity: {
    issuer: 'https://identity.example/realms/portico',
    audience: ['portico'],
    algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    locatorClaim: 'auto',
    clockToleranceSeconds: 5,
    maxLifetimeSeconds: 86_400,
    timeoutMs: 5000,
    keyCacheSeconds: 600,
    memberTokensOnly: true,
    scopes: {},
    dpop: 'off',
  },
  downstreams: {
    eligibility: service('eligibility'),
    claims: service('claims'),
    documents: service('documents'),
    policy: service('policy'),
    notifications: service('notifications'),
    consent: service('consent'),
  },
};

/** The contract's sample file. */
export const contractSample = {
  listen: { host: '127.0.0.1', port: 8080 },
  ...memberApi,
  search: {
    timeoutMs: 10_000,
    ackTimeoutMs: 5000,
    maxPending: 10_000,
    personas: null,
    legs: { moa: leg, mh: { ...leg, bapUri: 'https://bap.example/on_search' } },
  },
  limits: { maxRequestBytes: 262_144, maxResponseBytes: 10_485_760, maxCallbackBytes: 5_242_880 },
  redis: { url: null },
};
