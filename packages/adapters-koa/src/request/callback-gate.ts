import type { Context } from 'koa';
import { readBody } from './json-body.ts';

export interface CallbackGateSettings {
  /** How many bytes of callbacks may be held at once. Default 128 MiB. */
  readonly maxHeldBytes?: number;
  /** How many callbacks may wait for their turn. Default 1000. */
  readonly maxWaiting?: number;
}

/** In one turn of the event loop: other requests are served between turns. */
const perTurn = { callbacks: 16, bytes: 1_048_576 };

/** After a turn of so many bytes. In a single round of the event loop, other requests would get only one step ahead. */
const restMs = 20;

/**
 * Admits callbacks so that a flood of them leaves the process responsive: bounds the memory that they hold and the time
 * that they take at a stretch. `full`: the seller has to send the callback again.
 */
export const callbackGate = ({ maxHeldBytes = 134_217_728, maxWaiting = 1000 }: CallbackGateSettings = {}) => {
  const turns: { readonly size: number; readonly begin: () => void }[] = [];
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
    while (!isTurnOver() && turns.length > 0) {
      const { size, begin } = turns.shift()!;
      take(size);
      begin();
    }
    isCounting = taken.callbacks > 0;
    if (isCounting) endTurn();
  };
  /** Runs before the callbacks of this turn are answered, so the rest begins after them. */
  const endTurn = (): void => {
    setImmediate(() => (taken.bytes >= perTurn.bytes ? setTimeout(nextTurn, restMs) : nextTurn()));
  };
  const mustWait = () => isTurnOver() || turns.length > 0;
  /** Returns nothing when the callback need not wait. */
  const turn = (size: number): Promise<void> | undefined => {
    if (!isCounting) {
      isCounting = true;
      endTurn();
    }
    if (!mustWait()) {
      take(size);
      return undefined;
    }
    return new Promise((resolve) => {
      turns.push({ size, begin: resolve });
    });
  };
  return async (
    ctx: Context,
    limit: number,
    answer: (bytes: Buffer) => Promise<void>,
  ): Promise<'answered' | 'too-large' | 'gone' | 'full'> => {
    if (held >= maxHeldBytes) return 'full';
    const full = Promise.withResolvers<'full'>();
    let own = 0;
    const count = (chunk: Buffer) => {
      own += chunk.length;
      held += chunk.length;
      if (held > maxHeldBytes) full.resolve('full');
    };
    ctx.req.on('data', count);
    try {
      const bytes = await Promise.race([readBody(ctx, limit), full.promise]);
      if (typeof bytes === 'string') return bytes;
      if (mustWait() && turns.length >= maxWaiting) return 'full';
      await turn(bytes.length);
      await answer(bytes);
      return 'answered';
    } finally {
      ctx.req.off('data', count);
      held -= own;
      // The rest of an unwanted body is read and dropped, so that its sender can finish; Node does it only where nothing listened.
      ctx.req.resume();
    }
  };
};

export type CallbackGate = ReturnType<typeof callbackGate>;
