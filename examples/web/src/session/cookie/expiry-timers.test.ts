import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startExpiryTimers } from './expiry-timers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const day = 24 * 60 * 60_000;

const eventsAfter = (untilEndMs: number, passedMs: number) => {
  const events: string[] = [];
  const cancel = startExpiryTimers(
    Date.now() + untilEndMs,
    () => events.push('soon'),
    () => events.push('end'),
  );
  vi.advanceTimersByTime(passedMs);
  cancel();
  return events;
};

it.each([
  ['not announced before its last two minutes', 10 * 60_000, 7 * 60_000, []],
  ['announced two minutes before it', 10 * 60_000, 8 * 60_000, ['soon']],
  ['reported a second after it', 10 * 60_000, 10 * 60_000 + 1000, ['soon', 'end']],
  ['reported again until the session has been read', 10 * 60_000, 11 * 60_000 + 1000, ['soon', 'end', 'end', 'end']],
  ['not announced in the first half of a short session', 60_000, 29_000, []],
  ['announced after the first half of a short session', 60_000, 30_000, ['soon']],
  ['announced at once if it is near', 20_000, 0, ['soon']],
  ['announced after more than three weeks', 24 * day, 24 * day - 2 * 60_000, ['soon']],
  ['not announced at once if it is farther away than a timer can be', 365 * day, day, []],
] as const)('the end of a session is %s', (_, untilEndMs, passedMs, events) => {
  expect(eventsAfter(untilEndMs, passedMs)).toEqual(events);
});

it('the end of a session is not reported any more once the session has been read, also between two reports', () => {
  for (const passedMs of [60_000, 61_000, 75_000]) {
    let reports = 0;
    const cancel = startExpiryTimers(
      Date.now() + 60_000,
      () => {},
      () => (reports += 1),
    );
    vi.advanceTimersByTime(passedMs);
    const before = reports;
    cancel();
    vi.advanceTimersByTime(day);
    expect(reports).toBe(before);
  }
});
