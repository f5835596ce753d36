import { type Dispatcher, Pool } from 'undici';
import type { HttpRequest } from './http-client.ts';

/** What comes before the body. */
export interface Head {
  readonly status: number;
  /** A header by its name in lower case; repeated ones are joined as RFC 9110, section 5.3 has it. */
  header(name: string): string | undefined;
}

/** One attempt at a request: the head of its answer first, then its body, once, whole or in chunks. */
export interface Exchange {
  /** Rejects when the connection breaks before the head is complete, or the exchange is given up. */
  readonly head: Promise<Head>;
  /** The body to its end; nothing when it has more bytes than that. */
  bytes(limit: number): Promise<Buffer | undefined>;
  /** The body as it comes, and no faster than it is read. */
  chunks(): AsyncIterator<Uint8Array, undefined>;
  /** Gives the exchange and its connection up: what is waited for rejects. */
  abort(): void;
}

/** Sends a request, without redirects, decompression, or timeouts: those are the caller's business. */
export type Transport = (request: HttpRequest) => Exchange;

/** Over a connection pool per origin. The shortest way through undici: what carries members' requests. */
export const pooledTransport = (): Transport => {
  const pools = new Map<string, Pool>();
  const poolOf = (origin: string): Pool => {
    const known = pools.get(origin) ?? new Pool(origin, { headersTimeout: 0, bodyTimeout: 0 });
    pools.set(origin, known);
    return known;
  };
  return ({ method, url, headers, body }) => {
    const pathAt = url.indexOf('/', 'https://'.length);
    const exchange = new PooledExchange();
    poolOf(pathAt < 0 ? url : url.slice(0, pathAt)).dispatch(
      {
        path: pathAt < 0 ? '/' : url.slice(pathAt),
        method,
        headers: headerList(headers),
        body: body ?? null,
      },
      exchange,
    );
    return exchange;
  };
};

/** As undici takes them soonest: name, value, name, value. */
const headerList = (headers: HttpRequest['headers'] = {}): string[] => {
  const list = ['accept-encoding', 'identity'];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  return list;
};

/** So much may wait for its reader before the service is made to wait. */
const highWaterBytes = 65_536;

const givenUp = new Error('The exchange was given up.');

class PooledExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly head: Promise<Head>;
  readonly #head = Promise.withResolvers<Head>();
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #hasEnded = false;
  #error: Error | undefined;
  /** Set once the body is wanted whole. */
  #limit: number | undefined;
  /** Who waits for the body to have ended, to be too large, or to go on. */
  #reader: PromiseWithResolvers<void> | undefined;

  constructor() {
    this.head = this.#head.promise;
  }

  async bytes(limit: number): Promise<Buffer | undefined> {
    this.#limit = limit;
    if (!this.#hasEnded && !this.#isTooLarge()) {
      this.#controller?.resume();
      await this.#news();
    }
    if (this.#isTooLarge()) return undefined;
    return this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks, this.#size);
  }

  chunks(): AsyncIterator<Uint8Array, undefined> {
    return {
      next: async () => {
        while (this.#chunks.length === 0 && !this.#hasEnded) await this.#news();
        const value = this.#chunks.shift();
        if (!value) return { done: true, value: undefined };
        this.#size -= value.length;
        if (this.#size < highWaterBytes) this.#controller?.resume();
        return { done: false, value };
      },
    };
  }

  abort(): void {
    // Until it is on the wire, undici knows of no way to take it back: then this is done as soon as it could be sent.
    this.#fail(givenUp);
    this.#controller?.abort(givenUp);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error) controller.abort(this.#error);
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    this.#head.resolve({
      status,
      header: (name) => {
        const value = headers[name];
        return typeof value === 'object' ? value.join(', ') : value;
      },
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#limit === undefined) {
      if (this.#size >= highWaterBytes) controller.pause();
      this.#tell();
    } else if (this.#isTooLarge()) this.#tell();
  }

  onResponseEnd(): void {
    this.#hasEnded = true;
    this.#tell();
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(error);
  }

  #isTooLarge(): boolean {
    return this.#limit !== undefined && this.#size > this.#limit;
  }

  #news(): Promise<void> {
    if (this.#error) return Promise.reject(this.#error);
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  #tell(): void {
    this.#reader?.resolve();
    this.#reader = undefined;
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#head.reject(this.#error);
    this.#reader?.reject(this.#error);
    this.#reader = undefined;
  }
}
