import { randomUUID } from 'node:crypto';
import type { Clock, Ids } from '@portico/core';

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

/** Random UUIDs (RFC 9562, version 4). */
export const randomIds: Ids = { uuid: () => randomUUID() };
