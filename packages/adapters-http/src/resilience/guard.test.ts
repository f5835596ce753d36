import { fakeClock } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { noGuard, type PendingCall, ServiceGuard, type ServiceObserver } from './service-guard.ts';

const aCall = (isCancelled = false) => {
  const abortListeners: (() => void)[] = [];
  const call: PendingCall = { startedAt: 0, isCancelled, onAbort: (listener) => abortListeners.push(listener) };
  return { call, abort: () => abortListeners.forEach((listener) => listener()) };
};

const settings = { maxInFlight: 1, breakAfterFailures: 1, breakForMs: 1000 };

const watched = () => {
  const reported: string[] = [];
  const observer: ServiceObserver = { called: (_, outcome) => reported.push(outcome) };
  return { reported, guard: new ServiceGuard('claims', fakeClock(), { ...settings, observer }) };
};

describe('a call that waits for a slot', () => {
  it('is rejected when the circuit opens before it gets the slot', async () => {
    const { guard, reported } = watched();
    const first = aCall();
    const permit = await guard.acquire(first.call);
    const waiting = guard.acquire(aCall().call);
    guard.settle(permit as number, first.call, 'timeout', true);
    guard.release();
    expect(await waiting).toBe('circuit-open');
    expect(reported).toEqual(['timeout', 'circuit-open']);
  });

  it('is reported as cancelled, not overloaded, when its client leaves', async () => {
    const { guard, reported } = watched();
    await guard.acquire(aCall().call);
    const { call, abort } = aCall(true);
    const waiting = guard.acquire(call);
    abort();
    expect(await waiting).toBe('overloaded');
    expect(reported).toEqual(['cancelled']);
  });
});

describe('a cancelled call', () => {
  it('does not close the circuit as its trial call', async () => {
    const clock = fakeClock();
    const states: string[] = [];
    const observer: ServiceObserver = { circuit: (_, state) => states.push(state) };
    const guard = new ServiceGuard('claims', clock, { ...settings, observer });
    const run = async (outcome: 'timeout' | 'cancelled') => {
      const { call } = aCall();
      guard.settle((await guard.acquire(call)) as number, call, outcome, outcome === 'timeout');
      guard.release();
    };
    await run('timeout');
    clock.advance(1000);
    await run('cancelled');
    expect(states).toEqual(['closed', 'open', 'half-open', 'open']);
  });
});

describe('a guard without an observer', () => {
  it('opens its circuit and counts retries as usual', async () => {
    const guard = new ServiceGuard('claims', fakeClock(), settings);
    const { call } = aCall();
    const permit = await guard.acquire(call);
    expect(Array.from({ length: 11 }, () => guard.canRetry())).toEqual([...Array<boolean>(10).fill(true), false]);
    guard.settle(permit as number, call, 'timeout', true);
    expect(await guard.acquire(call)).toBe('circuit-open');
  });
});

describe('noGuard', () => {
  it('allows every retry', () => {
    expect(noGuard.canRetry()).toBe(true);
  });
});
