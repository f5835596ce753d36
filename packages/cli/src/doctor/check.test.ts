import { fakeClock } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { checkRunner, ok } from './check.ts';

describe('a check of portico doctor', () => {
  it('is reported as failed at its deadline, and its requests are cancelled', async () => {
    const clock = fakeClock();
    const signals: AbortSignal[] = [];
    const result = checkRunner(
      clock,
      new AbortController().signal,
      5000,
    )('issuer', (signal) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    clock.advance(5000);

    expect(await result).toMatchObject({
      name: 'issuer',
      outcome: 'failed',
      detail: 'no response within 5000 ms',
      elapsedMs: 5000,
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(clock.scheduled).toBe(0);
  });

  it('cancels its requests when the command is interrupted', async () => {
    const interrupted = new AbortController();
    const result = checkRunner(
      fakeClock(),
      interrupted.signal,
      5000,
    )('issuer', async (signal) => {
      interrupted.abort();
      return ok(`cancelled: ${signal.aborted}`);
    });

    expect(await result).toMatchObject({ outcome: 'ok', detail: 'cancelled: true' });
  });
});
