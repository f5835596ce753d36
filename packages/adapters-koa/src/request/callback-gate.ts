import type { Context } from 'koa';
import { serverDefaults } from '../server/defaults.ts';
import { readBody } from './json-body.ts';

/** Limits for concurrent callbacks. Defaults: `serverDefaults.callbackGate`. */
export interface CallbackGateSettings {
  /** Maximum bytes of callbacks in memory at once; beyond it, the oldest incomplete one is refused. */
  readonly maxHeldBytes?: number;
  /** Maximum number of callbacks that wait to be processed. */
  readonly maxWaiting?: number;
}

/** Limits per turn of the event loop. Other requests are served between turns. */
const perTurn = { callbacks: 16, bytes: 1_048_576 };

/** Pause after a turn that reached the byte limit. With `setImmediate`, other requests would advance only one step. */
const pauseMs = 20;

/**
 * Limits the memory that callbacks use and the time that they take per turn of the event loop, so that the process stays
 * responsive under load. `full`: the callback was not accepted, and the seller must send it again. When memory is full,
 * the oldest incomplete callback is refused: sellers that stop sending cannot keep others out.
 */
export const callbackGate = ({
  maxHeldBytes = serverDefaults.callbackGate.maxHeldBytes,
  maxWaiting = serverDefaults.callbackGate.maxWaiting,
}: CallbackGateSettings = {}) => {
  /** Refuses each callback that is still being received, oldest first. */
  const incomplete = new Set<() => void>();
  const queue: { readonly size: number; readonly begin: () => void }[] = [];
  let held = 0;
  const taken = { callbacks: 0, bytes: 0 };
  let isCounting = false;
  const isTurnOver = () => taken.callbacks >= perTurn.callbacks || taken.bytes >= perTurn.bytes;
  const take = (size: number): void => {
    taken.callbacks++;
    taken.bytes += size;
  };
  const nextTurn = (): void => {
    taken.callbacks = 0;
    taken.bytes = 0;
    while (!isTurnOver() && queue.length > 0) {
      const { size, begin } = queue.shift()!;
      take(size);
      begin();
    }
    isCounting = taken.callbacks > 0;
    if (isCounting) endTurn();
  };
  /** Scheduled before the callbacks of this turn complete, so the next turn starts after them. */
  const endTurn = (): void => {
    setImmediate(() => (taken.bytes >= perTurn.bytes ? setTimeout(nextTurn, pauseMs) : nextTurn()));
  };
  const mustWait = () => isTurnOver() || queue.length > 0;
  /** Returns undefined if the callback can start immediately. */
  const waitForTurn = (size: number): Promise<void> | undefined => {
    if (!isCounting) {
      isCounting = true;
      endTurn();
    }
    if (!mustWait()) {
      take(size);
      return undefined;
    }
    return new Promise((resolve) => {
      queue.push({ size, begin: resolve });
    });
  };
  return async (
    ctx: Context,
    limit: number,
    handle: (bytes: Buffer) => Promise<void>,
  ): Promise<'handled' | 'too-large' | 'disconnected' | 'full'> => {
    const full = Promise.withResolvers<'full'>();
    let received = 0;
    const release = () => {
      ctx.req.off('data', count);
      incomplete.delete(refuse);
      held -= received;
      received = 0;
    };
    const refuse = () => {
      release();
      full.resolve('full');
    };
    const count = (chunk: Buffer) => {
      received += chunk.length;
      held += chunk.length;
      incomplete.add(refuse);
      for (const refuseOldest of incomplete) {
        if (held <= maxHeldBytes) break;
        refuseOldest();
      }
    };
    ctx.req.on('data', count);
    try {
      const bytes = await readBody(ctx, limit, full.promise);
      incomplete.delete(refuse);
      if (typeof bytes === 'string') return bytes;
      if (mustWait() && queue.length >= maxWaiting) return 'full';
      await waitForTurn(bytes.length);
      await handle(bytes);
      return 'handled';
    } finally {
      release();
      // Read and discard the rest of a refused body, so that the client can finish sending. Node does this only without listeners.
      ctx.req.resume();
    }
  };
};

export type CallbackGate = ReturnType<typeof callbackGate>;
