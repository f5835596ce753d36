import { Readable } from 'node:stream';

/** Where the bytes come from. */
export interface BodySource {
  /** More may be given, until `give` says that it is enough. */
  pull(): void;
  /** Nobody wants the rest. */
  abandon(): void;
}

/** Who times the waiting for the next bytes, and knows why there are none. */
export interface BodyWatch {
  wait(): void;
  stopWaiting(): void;
  /** Nothing more will come: all bytes are here, or the stream was destroyed. May be called again. */
  done(): void;
  broken(): Error;
}

/** The body of an answer as a Node stream, so that it can be piped: no chunk stays longer here than it must. */
export class BodyStream extends Readable {
  readonly #source: BodySource;
  readonly #watch: BodyWatch;

  constructor(source: BodySource, watch: BodyWatch) {
    super();
    this.#source = source;
    this.#watch = watch;
    // Whoever reads it is told; that nobody reads it yet is no reason to end the process.
    this.on('error', () => {});
  }

  /** Whether more may be given at once. */
  give(chunk: Uint8Array): boolean {
    this.#watch.stopWaiting();
    ballast(chunk.byteLength);
    return this.push(chunk);
  }

  finish(): void {
    this.#watch.done();
    this.push(null);
  }

  fail(): void {
    this.destroy(this.#watch.broken());
  }

  override _read(): void {
    this.#source.pull();
  }

  /** Timed is only the waiting of a reader: not what Node reads ahead, nor a pipe that is full. */
  override read(size?: number): ReturnType<Readable['read']> {
    const chunk: unknown = super.read(size);
    const isWanted = size === undefined || this.readableFlowing === true;
    const isOver = this.readableEnded || this.destroyed;
    if (chunk === null && isWanted && this.readableLength === 0 && !isOver) this.#watch.wait();
    return chunk;
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.readableEnded) this.#source.abandon();
    this.#watch.done();
    done(error);
  }

  /** Resolves when the first bytes are there, or it is known that there are none; rejects when it breaks before. */
  async begun(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.once('readable', resolve).once('error', reject);
    await promise;
    this.off('error', reject);
  }

  /** Its `return` ends the stream also when `next` was never called or still waits, which Node's would not. */
  override [Symbol.asyncIterator](): NodeJS.AsyncIterator<Buffer, undefined> {
    const chunks = super[Symbol.asyncIterator]() as NodeJS.AsyncIterator<Buffer, undefined>;
    const over = { done: true, value: undefined } as const;
    let isOver = false;
    const end = async () => {
      isOver = true;
      this.destroy();
      return over;
    };
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () =>
        chunks.next().catch((error: unknown) => {
          if (isOver) return over;
          throw error;
        }),
      return: end,
      [Symbol.asyncDispose]: async () => void (await end()),
    };
  }
}

/**
 * V8 sees of a chunk a few hundred bytes on its heap and lets some 64 MB of spent ones pile up outside before it
 * collects. With garbage of twice their weight on the heap it collects in time, by its short collections: memory stays
 * flat, for some 10 µs per 64 KiB. No array has more than 64 KiB: what goes into V8's space for large objects costs fifty
 * times as much.
 */
const ballast = (bytes: number): void => {
  for (let left = 2 * bytes; left > 0; left -= 65_536) void new Array(Math.min(left, 65_536) >> 3).fill(0);
};
