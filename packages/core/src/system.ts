import type { Cancel, Clock } from './runtime/clock.port.ts';
import type { Ids } from './runtime/ids.port.ts';

/** The web-standard globals that this entry point uses; the core has no others. */
interface WebGlobals {
  readonly Date: { now(): number };
  readonly performance: { now(): number };
  readonly crypto: { randomUUID(): string };
  setTimeout(task: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

const web = globalThis as unknown as WebGlobals;

/** With a longer delay, `setTimeout` runs the task at once. */
const maxDelayMs = 2 ** 31 - 1;

/** The system clock. */
export const systemClock: Clock = {
  now: () => web.Date.now(),
  monotonic: () => web.performance.now(),
  after: (ms, task): Cancel => {
    let timer: unknown;
    const wait = (restMs: number): void => {
      const next = restMs > maxDelayMs ? () => wait(restMs - maxDelayMs) : task;
      timer = web.setTimeout(next, Math.min(restMs, maxDelayMs));
    };
    wait(ms);
    return () => web.clearTimeout(timer);
  },
};

/** Generates random UUIDs (RFC 9562, version 4). */
export const randomIds: Ids = { uuid: () => web.crypto.randomUUID() };
