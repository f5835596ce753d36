import { Readable } from 'node:stream';
import { type ReleasableContent, releaseChunk } from '@portico/core';

/** The source of a body's bytes. */
interface BodySource {
  /** Whether the memory of the chunks belongs to the stream: no cache, for example, keeps them. Default: false. */
  ownsChunks?(): boolean;
  /** Requests more bytes. The source may enqueue chunks until `enqueue` returns false. */
  pull(): void;
  /** The rest of the body is not wanted. */
  cancel(): void;
}

/** Observes a body: times each wait for bytes, and supplies the error when the source fails. */
export interface BodyWatch {
  wait(): void;
  stopWaiting(): void;
  /** All bytes have arrived, or the stream was destroyed. May be called more than once. */
  done(): void;
  streamError(): Error;
}

/** A response body as a Node stream. */
export class BodyStream extends Readable implements ReleasableContent {
  readonly #source: BodySource;
  readonly #watch: BodyWatch;

  constructor(source: BodySource, watch: BodyWatch) {
    super();
    this.#source = source;
    this.#watch = watch;
    // The reader gets the error. Without this listener, an error before the first read would end the process.
    this.on('error', () => {});
  }

  /** Adds a chunk. Returns false when the source should pause until the next `pull`. An empty chunk ends no wait. */
  enqueue(chunk: Uint8Array): boolean {
    if (chunk.byteLength > 0) this.#watch.stopWaiting();
    return this.push(chunk);
  }

  [releaseChunk](chunk: Uint8Array): void {
    if (this.#isReleasable(chunk)) (chunk.buffer as ArrayBuffer).transfer(0);
  }

  /** Only a chunk that covers its whole buffer: the rest of a buffer may be another chunk, which was not read yet. */
  #isReleasable({ buffer, byteLength }: Uint8Array): boolean {
    return (
      this.#source.ownsChunks?.() === true &&
      buffer instanceof ArrayBuffer &&
      byteLength > 0 &&
      byteLength === buffer.byteLength
    );
  }

  finish(): void {
    this.#watch.done();
    this.push(null);
  }

  fail(): void {
    this.destroy(this.#watch.streamError());
  }

  override _read(): void {
    this.#source.pull();
  }

  /** The idle timer runs only while a reader is waiting, not during read-ahead or back-pressure. */
  override read(size?: number): ReturnType<Readable['read']> {
    const chunk: unknown = super.read(size);
    const isWanted = size === undefined || this.readableFlowing === true;
    const isOver = this.readableEnded || this.destroyed;
    if (chunk === null && isWanted && this.readableLength === 0 && !isOver) this.#watch.wait();
    return chunk;
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.readableEnded) this.#source.cancel();
    this.#watch.done();
    done(error);
  }

  /** Resolves when the first bytes have arrived or the body is empty. Rejects when the stream fails before. */
  async started(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.once('readable', resolve).once('error', reject);
    await promise;
    this.off('error', reject);
  }

  /** Unlike Node's own iterator, `return` also ends the stream before the first `next` and while one is pending. */
  override [Symbol.asyncIterator](): NodeJS.AsyncIterator<Buffer, undefined> {
    const chunks = super[Symbol.asyncIterator]() as NodeJS.AsyncIterator<Buffer, undefined>;
    const done = { done: true, value: undefined } as const;
    let hasEnded = false;
    const end = async () => {
      hasEnded = true;
      this.destroy();
      return done;
    };
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () =>
        chunks.next().catch((error: unknown) => {
          if (hasEnded) return done;
          throw error;
        }),
      return: end,
      [Symbol.asyncDispose]: async () => void (await end()),
    };
  }
}
