import type { ServiceIdentifier } from 'inversify';
import { searchPortTokens, sentSearchesToken } from '@portico/core/inversify';
import { expect, it } from 'vitest';
import { contractSample, settingsFile, settingsOf } from '../settings/settings-file.test.support.ts';
import { redisStatus } from './redis-status.ts';

it('redisStatus reports that the callbacks of other instances cannot be verified', () => {
  const { settings } = settingsOf({
    flags: { '--config': settingsFile({ ...contractSample, redis: { url: 'redis://127.0.0.1:9' } }) },
    env: {},
  });
  const exchange: { degradedReason?: string } = {};
  const sent: { degradedReason?: string } = {};
  const ports = new Map<unknown, unknown>([
    [searchPortTokens.exchange, exchange],
    [sentSearchesToken, sent],
  ]);
  const status = redisStatus(settings, {}, { get: <T>(token: ServiceIdentifier<T>) => ports.get(token) as T });
  expect(status?.()).toBeUndefined();
  sent.degradedReason = 'Redis is slow';
  expect(status?.()).toBe('Redis is slow');
  exchange.degradedReason = 'Redis refuses writes';
  expect(status?.()).toBe('Redis refuses writes');
});
