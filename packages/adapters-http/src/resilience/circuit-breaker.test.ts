import { fakeClock } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { CircuitBreaker } from './circuit-breaker.ts';

const pauseMs = 5000;

const createBreaker = (failures: number) => {
  const clock = fakeClock();
  const changes: string[] = [];
  const breaker = new CircuitBreaker(clock, { failures, pauseMs }, (state) => changes.push(state));
  return { clock, changes, breaker };
};

/** A breaker whose pause has just ended. */
const afterPause = () => {
  const all = createBreaker(1);
  all.breaker.settle(all.breaker.begin(), 'failed');
  all.clock.advance(pauseMs);
  return all;
};

describe('the circuit breaker', () => {
  it('does not count cancelled calls as failures', () => {
    const { breaker } = createBreaker(2);
    for (let nth = 0; nth < 5; nth++) breaker.settle(breaker.begin(), 'cancelled');
    expect(breaker.admits).toBe(true);
  });

  it('does not count cancelled calls as successes', () => {
    const { breaker } = createBreaker(2);
    for (const outcome of ['failed', 'cancelled', 'failed'] as const) breaker.settle(breaker.begin(), outcome);
    expect(breaker.admits).toBe(false);
  });

  it('counts two calls in flight at the first failure as one failure', () => {
    const { breaker } = createBreaker(2);
    const permits = [breaker.begin(), breaker.begin()];
    for (const permit of permits) breaker.settle(permit, 'failed');
    expect(breaker.admits).toBe(true);
    breaker.settle(breaker.begin(), 'failed');
    expect(breaker.admits).toBe(false);
  });

  it('stays open for its whole pause, and not longer', () => {
    const { breaker, clock } = createBreaker(1);
    breaker.settle(breaker.begin(), 'failed');
    clock.advance(pauseMs - 1);
    expect(breaker.admits).toBe(false);
    clock.advance(1);
    expect(breaker.admits).toBe(true);
  });

  it('admits one trial call only', () => {
    const { breaker } = afterPause();
    breaker.begin();
    expect(breaker.admits).toBe(false);
  });

  it('is open again after a cancelled trial call, and admits the next one at once', () => {
    const { breaker, changes } = afterPause();
    breaker.settle(breaker.begin(), 'cancelled');
    expect(breaker.admits).toBe(true);
    breaker.settle(breaker.begin(), 'failed');
    expect(breaker.admits).toBe(false);
    expect(changes).toEqual(['open', 'half-open', 'open', 'half-open', 'open']);
  });

  it('counts failures from zero after a successful trial call', () => {
    const clock = fakeClock();
    const breaker = new CircuitBreaker(clock, { failures: 2, pauseMs });
    for (let nth = 0; nth < 2; nth++) breaker.settle(breaker.begin(), 'failed');
    clock.advance(pauseMs);
    breaker.settle(breaker.begin(), 'succeeded');
    breaker.settle(breaker.begin(), 'failed');
    expect(breaker.admits).toBe(true);
  });
});
