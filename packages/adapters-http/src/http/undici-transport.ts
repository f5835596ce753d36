import { AsyncResource } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
// Not the global one, so that fake timers of a test do not stop it.
import { setImmediate } from 'node:timers';
import { isMarkedAsUntransferable } from 'node:worker_threads';
import type { Dispatcher } from 'undici';
import { BodyStream, type BodyWatch } from './body-stream.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import { originPool, type PoolOptions } from '../connection/origin-pool.ts';
import type { Exchange, Head, HttpRequest, Transport } from './transport.ts';

/**
 * A transport over one connection pool per origin, HTTP/1.1 only (docs/decisions/0021). Uses undici's dispatch API, its
 * fastest one. It sends the requests of one turn of the event loop together (docs/decisions/0165).
 */
export const pooledTransport = ({ tls = {}, proxy, ...options }: ConnectionSettings & PoolOptions = {}): Transport => {
  const pools = new Map<string, Dispatcher>();
  const currentTls = typeof tls === 'function' ? tls : () => tls;
  let usedTls = currentTls();
  const poolOf = (origin: string): Dispatcher => {
    const next = currentTls();
    if (next !== usedTls) {
      usedTls = next;
      // Requests in flight finish on these pools.
      for (const pool of pools.values()) void pool.close().catch(() => {});
      pools.clear();
    }
    const pool = pools.get(origin) ?? originPool(origin, next, proxy?.(origin), options);
    pools.set(origin, pool);
    return pool;
  };
  let due: PooledExchange[] = [];
  const sendDue = (): void => {
    const exchanges = due;
    due = [];
    for (const exchange of exchanges) exchange.send(poolOf);
  };
  return (request) => {
    const exchange = new PooledExchange(request);
    if (due.push(exchange) === 1) setImmediate(sendDue);
    return exchange;
  };
};

/** A flat list of names and values, undici's fastest format. */
const headerList = (headers: HttpRequest['headers'] = {}): string[] => {
  const list = ['accept-encoding', 'identity'];
  for (const name of Object.keys(headers)) list.push(name, headers[name]!);
  return list;
};

/** The most bytes buffered before the body is requested with `bytes` or `stream`. */
const highWaterBytes = 65_536;

/** Subscribers of these channels get memory that the connection was read into, and may keep it. */
const observed = [channel('undici:request:headers'), channel('undici:request:bodyChunkReceived')] as const;

/**
 * Frees memory that a connection was read into, after its bytes were copied. Node allocates such memory for each read, and V8
 * collects all garbage after each 64 MB of it. Small chunks that were joined are in the pool that Node shares between small
 * buffers, which it marks as untransferable.
 */
const free = (memory: ArrayBufferLike): void => {
  if (memory.byteLength > 0 && !isMarkedAsUntransferable(memory)) (memory as ArrayBuffer).transfer(0);
};

const aborted = new Error('The exchange was aborted.');

/** The request is sent in the asynchronous context in which the exchange was created. */
class PooledExchange extends AsyncResource implements Exchange, Dispatcher.DispatchHandler {
  readonly head: Promise<Head>;
  hasStarted = false;
  readonly #request: HttpRequest;
  readonly #head = Promise.withResolvers<Head>();
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #hasEnded = false;
  #error: Error | undefined;
  /** Set by `bytes`. */
  #limit: number | undefined;
  /** Settles when the body has ended, failed, or exceeded the limit. */
  #reader: PromiseWithResolvers<void> | undefined;
  #stream: BodyStream | undefined;
  /** `Content-Length`; otherwise NaN. */
  #length = NaN;
  #isObserved = false;

  constructor(request: HttpRequest) {
    super('PorticoRequest');
    this.#request = request;
    this.head = this.#head.promise;
  }

  send(poolOf: (origin: string) => Dispatcher): void {
    if (this.#error) return;
    try {
      this.runInAsyncScope(this.#dispatch, this, poolOf);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #dispatch(poolOf: (origin: string) => Dispatcher): void {
    const { method, url, headers, body } = this.#request;
    const pathAt = url.indexOf('/', 'https://'.length);
    const origin = pathAt < 0 ? url : url.slice(0, pathAt);
    const path = pathAt < 0 ? '/' : url.slice(pathAt);
    poolOf(origin).dispatch({ origin, path, method, headers: headerList(headers), body: body ?? null }, this);
  }

  async bytes(limit: number): Promise<Buffer | undefined> {
    this.#limit = limit;
    if (!this.#hasEnded && !this.#isTooLarge()) {
      if (this.#error) throw this.#error;
      this.#reader = Promise.withResolvers();
      this.#controller?.resume();
      await this.#reader.promise;
    }
    if (this.#isTooLarge()) return undefined;
    if (this.#chunks.length === 1) return this.#chunks[0];
    const whole = Buffer.concat(this.#chunks, this.#size);
    if (!this.#isObserved) for (const { buffer } of this.#chunks) free(buffer);
    this.#chunks = [whole];
    return whole;
  }

  stream(watch: BodyWatch): BodyStream {
    const stream = new BodyStream(
      // In chunked transfer coding, most chunks share their buffer.
      {
        ownsChunks: () => !Number.isNaN(this.#length) && !this.#isObserved,
        pull: () => this.#controller?.resume(),
        cancel: () => this.#hasEnded || this.abort(),
      },
      watch,
    );
    this.#stream = stream;
    for (const chunk of this.#chunks) stream.enqueue(chunk);
    this.#chunks = [];
    if (this.#hasEnded) stream.finish();
    else if (this.#error) stream.fail();
    return stream;
  }

  abort(): void {
    // undici cannot abort a queued request: without a controller, `onRequestStart` aborts it.
    this.#fail(aborted);
    this.#controller?.abort(aborted);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#noteObservers();
    if (this.#error) controller.abort(this.#error);
  }

  onResponseStarted(): void {
    this.hasStarted = true;
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#noteObservers();
    if (status < 200) return;
    this.#length = Number(headers['content-length']);
    this.#head.resolve({
      status,
      header: (name) => {
        const value = headers[name];
        return typeof value === 'object' ? value.join(', ') : value;
      },
      names: () => Object.keys(headers),
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#noteObservers();
    this.#size += chunk.length;
    if (this.#isFull(chunk) && this.#size !== this.#length) controller.pause();
    if (this.#isTooLarge()) this.#reader?.resolve();
  }

  /**
   * Keeps a chunk, and returns whether that is enough for now. After the last chunk, a pause would be an error: undici reports
   * a complete body as interrupted when its connection closes during the pause.
   */
  #isFull(chunk: Buffer): boolean {
    if (this.#stream) return !this.#stream.enqueue(chunk);
    this.#chunks.push(chunk);
    return this.#limit === undefined && this.#size >= highWaterBytes;
  }

  onResponseEnd(): void {
    this.#hasEnded = true;
    this.#reader?.resolve();
    this.#stream?.finish();
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(error);
  }

  /** A subscriber may unsubscribe before the body ends and still hold its memory. */
  #noteObservers(): void {
    this.#isObserved ||= observed[0].hasSubscribers || observed[1].hasSubscribers;
  }

  #isTooLarge(): boolean {
    return this.#limit !== undefined && this.#size > this.#limit;
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#head.reject(this.#error);
    this.#reader?.reject(this.#error);
    this.#stream?.fail();
  }
}
