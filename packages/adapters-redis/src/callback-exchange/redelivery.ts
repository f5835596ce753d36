import type { Clock } from '@portico/core';
import type { CallbackWriter } from './callback-writer.ts';
import type { ConnectionHealth } from './connection-health.ts';
import type { OfferedCallback } from './offered-callback.ts';
import { redeliveryBuffer } from './redelivery-buffer.ts';

/** How often buffered callbacks are stored again while other instances may still be registering their legs. */
const intervalMs = 250;

interface RedeliverySettings {
  readonly clock: Clock;
  readonly health: Pick<ConnectionHealth, 'report'>;
  readonly writer: Pick<CallbackWriter, 'write'>;
  /** Whether every other instance has had time to register its legs again. */
  readonly isSettled: () => boolean;
}

/** Stores acknowledged callbacks again after an interruption, because Redis may have lost them. */
export const redelivery = ({ clock, health, writer, isSettled }: RedeliverySettings) => {
  const { add, all, close } = redeliveryBuffer(clock, isSettled);
  /** The number of recoveries. Each one starts a new redelivery and ends the previous one. */
  let recoveries = 0;

  /** Retries callbacks of unknown and of overloaded legs while their owners may not have registered them. */
  const run = async (): Promise<void> => {
    const recovery = ++recoveries;
    let left = all();
    while (left.length > 0) {
      const refused: OfferedCallback[] = [];
      for (const callback of left) {
        const stored = await writer.write(callback);
        if (stored.isErr()) return undefined; // retried after the next check that passes
        if (stored.value === 'not-published') return health.report('no-channel');
        if (stored.value === 'unknown' || stored.value === 'overloaded') refused.push(callback);
      }
      if (isSettled()) return undefined;
      left = refused;
      await new Promise<void>((resolve) => void clock.after(intervalMs, resolve));
      if (recovery !== recoveries) return undefined;
    }
    return undefined;
  };

  return { add, close, run };
};
