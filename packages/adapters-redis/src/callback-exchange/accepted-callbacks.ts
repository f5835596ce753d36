import { defineScript, type CommandParser } from '@redis/client';

/** The sizes of callbacks in bytes, by digest. */
export type Sizes = ReadonlyMap<string, number>;

/** The callbacks that the legs of this instance have collected, and the memory that delivered callbacks take. */
export class AcceptedCallbacks {
  readonly #legs = new Map<string, Map<string, number>>();
  readonly #maxBytes: number;
  readonly #onFreed: () => void;
  #bytes = 0;

  constructor(maxBytes: number, onFreed: () => void) {
    this.#maxBytes = maxBytes;
    this.#onFreed = onFreed;
  }

  has(transactionId: string, digest: string): boolean {
    return this.#legs.get(transactionId)?.has(digest) ?? false;
  }

  of(transactionId: string): Sizes {
    return this.#legs.get(transactionId) ?? new Map<string, number>();
  }

  hasRoomFor(size: number): boolean {
    return this.#bytes + size <= this.#maxBytes;
  }

  /** Counts bytes until a promise has settled. Without one, does not count them. */
  keep(size: number, until: Promise<unknown> | undefined): void {
    if (!until) return;
    this.#bytes += size;
    const free = () => {
      this.#bytes -= size;
      this.#onFreed();
    };
    until.then(free, free);
  }

  add(transactionId: string, digest: string, size: number): void {
    const sizes = this.#legs.get(transactionId) ?? new Map<string, number>();
    this.#legs.set(transactionId, sizes.set(digest, size));
    this.#bytes += size;
  }

  /** Removes a callback that was not delivered. */
  forget(transactionId: string, digest: string): void {
    const sizes = this.#legs.get(transactionId);
    this.#bytes -= sizes?.get(digest) ?? 0;
    sizes?.delete(digest);
  }

  /** Removes the callbacks of a leg that was released. Their search keeps them until it has ended. */
  remove(transactionId: string, ended: Promise<unknown> | undefined): void {
    let total = 0;
    for (const size of this.of(transactionId).values()) total += size;
    this.#legs.delete(transactionId);
    this.#bytes -= total;
    if (total > 0) this.keep(total, ended);
  }
}

/** Restores the count and size of the accepted callbacks of a leg, in case Redis lost them. Each is counted once. */
export const restoreAccepted = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
for at = 2, #ARGV, 2 do
  if redis.call('HSETNX', KEYS[1], ARGV[at], '') == 1 then
    redis.call('HINCRBY', KEYS[1], 'callbacks', 1)
    redis.call('HINCRBY', KEYS[1], 'bytes', ARGV[at + 1])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
`,
  parseCommand: (parser: CommandParser, acceptedKey: string, sizes: Sizes, ttlMs: number) => {
    parser.pushKey(acceptedKey);
    parser.push(String(ttlMs));
    for (const [digest, size] of sizes) parser.push(digest, String(size));
  },
  transformReply: (): undefined => undefined,
});
