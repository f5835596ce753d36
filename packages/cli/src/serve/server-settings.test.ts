import { describe, expect, it } from 'vitest';
import { memberApi, settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';
import { dpopSettings } from './dpop.ts';
import { connectionLimits, longestTimeoutMs } from './server-settings.ts';

const settingsWith = (changes: object) =>
  settingsOf({ flags: { '--config': settingsFile({ ...memberApi, ...changes }) } }).settings;

it('DPoP is served as the settings require, also if all services come from modules', () => {
  const file = { identity: { ...memberApi.identity, dpop: 'require' }, listen: { publicUrl: 'https://api.example' } };
  const { settings } = settingsOf({ flags: { '--config': settingsFile(file) }, hasModules: true });
  expect(dpopSettings(settings)).toEqual({ dpop: { publicUrl: 'https://api.example', isRequired: true } });
});

describe('longestTimeoutMs', () => {
  it.each([
    ['the search', { search: { timeoutMs: 30_000 } }],
    [
      'a service',
      { downstreams: { ...memberApi.downstreams, claims: { url: 'http://claims.test', timeoutMs: 30_000 } } },
    ],
    ['an identity provider', { identity: { ...memberApi.identity, timeoutMs: 30_000 } }],
  ])('is that of %s, and the idle timeout of connections is longer', (_, changes) => {
    const settings = settingsWith({ ...changes, connections: { idleTimeoutMs: 1000 } });
    expect(longestTimeoutMs(settings)).toBe(30_000);
    expect(connectionLimits(settings).idleTimeoutMs).toBeGreaterThan(30_000);
  });
});
