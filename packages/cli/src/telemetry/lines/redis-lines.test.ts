import { fakeClock } from '@portico/core/testing';
import { expect, it } from 'vitest';
import { logOf, type LogEntry } from '../metrics/measured-portico.test.support.ts';
import { watchRedis } from './redis-lines.ts';

const start = (initial?: string) => {
  const clock = fakeClock();
  const entries: LogEntry[] = [];
  const redis = { problem: initial };
  const stop = watchRedis(() => redis.problem, logOf(entries), clock);
  return {
    clock,
    redis,
    stop,
    logged: () => entries.splice(0).map(({ level, message, fields }) => [level, message, fields]),
  };
};

const reason = 'Redis is unreachable';

it('watchRedis logs once when Redis becomes unavailable, and once when it is available again', () => {
  const { clock, redis, logged } = start();
  clock.advance(5000);
  expect(logged()).toEqual([]);
  redis.problem = reason;
  clock.advance(60_000);
  expect(logged()).toEqual([['warn', 'Redis is unavailable', { reason }]]);
  redis.problem = undefined;
  clock.advance(60_000);
  expect(logged()).toEqual([['info', 'Redis is available again', {}]]);
});

it('watchRedis logs that Redis is unavailable at the start only if it cannot be reached within a second', () => {
  const { clock, redis, logged } = start(reason);
  clock.advance(999);
  expect(logged()).toEqual([]);
  clock.advance(1);
  expect(logged()).toEqual([['warn', 'Redis is unavailable', { reason }]]);
  const connected = start(reason);
  connected.clock.advance(999);
  connected.redis.problem = redis.problem = undefined;
  connected.clock.advance(5000);
  expect(connected.logged()).toEqual([]);
});

it('watchRedis logs nothing after it was stopped', () => {
  const { clock, redis, stop, logged } = start();
  clock.advance(1500);
  stop();
  redis.problem = reason;
  clock.advance(5000);
  expect([logged(), clock.scheduled]).toEqual([[], 0]);
});
