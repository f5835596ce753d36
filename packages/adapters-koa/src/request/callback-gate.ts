import type { Context } from 'koa';
import { heldBytes } from './body/held-bytes.ts';
import { serverDefaults } from './server-defaults.ts';
import { readBody } from './body/read-body.ts';

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

/** Limits what starts per turn of the event loop. The rest waits in a queue. */
const turns = () => {
  const queue: { readonly size: number; readonly begin: () => void }[] = [];
  const taken = { callbacks: 0, bytes: 0 };
  let isCounting = false;
  const isOver = () => taken.callbacks >= perTurn.callbacks || taken.bytes >= perTurn.bytes;
  const mustWait = () => isOver() || queue.length > 0;
  const take = (size: number): void => {
    taken.callbacks++;
    taken.bytes += size;
  };
  const next = (): void => {
    taken.callbacks = 0;
    taken.bytes = 0;
    while (!isOver() && queue.length > 0) {
      const { size, begin } = queue.shift()!;
      take(size);
      begin();
    }
    isCounting = taken.callbacks > 0;
    if (isCounting) end();
  };
  /** Scheduled before the callbacks of this turn complete, so the next turn starts after them. */
  const end = (): void => {
    setImmediate(() => (taken.bytes >= perTurn.bytes ? setTimeout(next, pauseMs) : next()));
  };
  return {
    /** The number of callbacks before one that comes now. */
    waiting: () => queue.length,
    mustWait,
    /** Returns undefined if a callback can start immediately. */
    waitFor: (size: number): Promise<void> | undefined => {
      if (!isCounting) {
        isCounting = true;
        end();
      }
      if (!mustWait()) {
        take(size);
        return undefined;
      }
      return new Promise((resolve) => {
        queue.push({ size, begin: resolve });
      });
    },
  };
};

/**
 * Limits the memory that callbacks use and the time that they take per turn of the event loop, so that the process stays
 * responsive under load. `full`: the callback was not accepted, and the seller must send it again. When memory is full,
 * the oldest incomplete callback is refused: sellers that stop sending cannot keep others out.
 */
export const callbackGate = ({
  maxHeldBytes = serverDefaults.callbackGate.maxHeldBytes,
  maxWaiting = serverDefaults.callbackGate.maxWaiting,
}: CallbackGateSettings = {}) => {
  const { waiting, mustWait, waitFor } = turns();
  const hold = heldBytes(maxHeldBytes);
  return async (
    ctx: Context,
    limit: number,
    handle: (bytes: Buffer) => Promise<void>,
  ): Promise<'handled' | 'too-large' | 'disconnected' | 'full'> => {
    const { full, keep, release } = hold(ctx.req);
    try {
      const bytes = await readBody(ctx, limit, full);
      keep();
      if (typeof bytes === 'string') return bytes;
      if (mustWait() && waiting() >= maxWaiting) return 'full';
      await waitFor(bytes.length);
      await handle(bytes);
      return 'handled';
    } finally {
      release();
      // Discard the rest, so that the client can finish sending. Node does this only for bodies that were never read.
      ctx.req.resume();
    }
  };
};

export type CallbackGate = ReturnType<typeof callbackGate>;
