import type { IncomingMessage } from 'node:http';

/** Limits the bytes of bodies in memory. Beyond the limit, incomplete ones are refused, oldest first. */
export const heldBytes = (maxBytes: number) => {
  const incomplete = new Set<() => void>();
  let held = 0;
  /** Counts the bytes of a body until it is released. `full` resolves when it is refused. */
  return (body: IncomingMessage) => {
    const full = Promise.withResolvers<'full'>();
    let received = 0;
    const release = () => {
      body.off('data', count);
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
        if (held <= maxBytes) break;
        refuseOldest();
      }
    };
    body.on('data', count);
    return { full: full.promise, keep: () => incomplete.delete(refuse), release };
  };
};
