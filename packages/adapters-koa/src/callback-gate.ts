import type { Context } from 'koa';
import { readBody } from './json-body.ts';

export interface CallbackGateSettings {
  /** How many bytes of callbacks may be held at once. Default 128 MiB. */
  readonly maxHeldBytes?: number;
  /** How many callbacks may wait for their turn. Default 1000. */
  readonly maxWaiting?: number;
}

/** So many are answered in one turn of the event loop: everybody else's requests come between. */
const perTurn = 16;

/**
 * Lets callbacks in so that a flood of them leaves the process alive for everybody else: bounded in the memory that they
 * hold, and in the time that they take at a stretch. `full`: the seller is to send it again.
 */
export const callbackGate = ({ maxHeldBytes = 134_217_728, maxWaiting = 1000 }: CallbackGateSettings = {}) => {
  const turns: (() => void)[] = [];
  let held = 0;
  let taken = 0;
  let isCounting = false;
  const nextTurn = (): void => {
    taken = 0;
    for (const turn of turns.splice(0, perTurn)) {
      taken++;
      turn();
    }
    isCounting = taken > 0;
    if (isCounting) setImmediate(nextTurn);
  };
  const mustWait = () => taken >= perTurn || turns.length > 0;
  /** At once while it is calm. */
  const turn = (): Promise<void> | undefined => {
    if (!isCounting) {
      isCounting = true;
      setImmediate(nextTurn);
    }
    if (!mustWait()) {
      taken++;
      return undefined;
    }
    return new Promise((resolve) => {
      turns.push(resolve);
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
      await turn();
      await answer(bytes);
      return 'answered';
    } finally {
      ctx.req.off('data', count);
      held -= own;
      // What nobody wants is read off, so that its sender comes to an end; Node does it only where nobody listened.
      ctx.req.resume();
    }
  };
};
