import { expect, it } from 'vitest';
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

it('the system clock returns wall time in milliseconds and monotonic time', () => {
  const [now, before, after] = [systemClock.now(), systemClock.monotonic(), systemClock.monotonic()];
  expect(now).toBeGreaterThan(1_750_000_000_000);
  expect(after).toBeGreaterThanOrEqual(before);
});
