import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from './system.ts';

it('the system clock runs a task after its delay', async () => {
  await expect(new Promise((resolve) => systemClock.after(0, () => resolve('ran')))).resolves.toBe('ran');
});

it('the system clock does not run a cancelled task', async () => {
  const ran: string[] = [];
  const cancel = systemClock.after(0, () => ran.push('cancelled'));
  cancel();
  await new Promise<void>((resolve) => void systemClock.after(1, resolve));
  cancel();
  expect(ran).toEqual([]);
});

it('the system clock runs a task after a delay that is too long for one timer, and not before', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const ran: string[] = [];
  const daysMs = 60 * 86_400_000;
  systemClock.after(daysMs, () => ran.push('after 60 days'));
  systemClock.after(Infinity, () => ran.push('never'));
  const cancel = systemClock.after(daysMs, () => ran.push('cancelled'));
  vi.advanceTimersByTime(daysMs - 1);
  expect(ran).toEqual([]);
  cancel();
  vi.advanceTimersByTime(1);
  expect(ran).toEqual(['after 60 days']);
});

it('the system clock returns wall time in milliseconds and monotonic time', () => {
  const [now, before, after] = [systemClock.now(), systemClock.monotonic(), systemClock.monotonic()];
  expect(now).toBeGreaterThan(1_750_000_000_000);
  expect(after).toBeGreaterThanOrEqual(before);
});
