import { unlessAborted } from '@portico/core';
import type { KyInstance } from 'ky';
import { BodyStream } from './body-stream.ts';
import type { Exchange, Transport } from './transport.ts';

/**
 * A transport over the given `fetch`, with ky, which is loaded for the first request: its feature detection loads Node's own
 * fetch, and a program without a `fetch` of its own needs neither.
 */
export const kyTransport = (fetch: typeof globalThis.fetch): Transport => {
  let client: Promise<KyInstance> | undefined;
  return ({ method, url, headers, body }) => {
    const controller = new AbortController();
    client ??= clientOf(fetch).catch((error: unknown) => {
      // Such as too many open files: the next request tries again.
      client = undefined;
      throw error;
    });
    const response = client.then((send) =>
      send(url, {
        method,
        headers: headers ?? {},
        signal: controller.signal,
        ...(body !== undefined && { body }),
      }),
    );
    return exchangeOf(response, controller);
  };
};

const clientOf = async (fetch: typeof globalThis.fetch): Promise<KyInstance> => {
  const { default: ky } = await import('ky');
  return ky.create({
    retry: 0,
    redirect: 'manual',
    throwHttpErrors: false,
    timeout: false,
    headers: { 'accept-encoding': 'identity' },
    fetch,
  });
};

/** An abort also ends the wait for a `fetch` that ignores its signal. */
const exchangeOf = (response: Promise<Response>, controller: AbortController): Exchange => {
  const { signal } = controller;
  const orAbort = <T>(step: Promise<T>): Promise<T> => unlessAborted(signal, step, () => Promise.reject(signal.reason));
  const reader = response.then(({ body }) => body?.getReader());
  // Only prevents an unhandled rejection: callers that await `reader` get the error.
  reader.catch(() => {});
  const read = () => orAbort(reader.then((body) => body?.read() ?? { done: true as const, value: undefined }));
  const abort = () => {
    controller.abort();
    reader.then((body) => body?.cancel()).catch(() => {});
  };
  return {
    head: orAbort(
      response.then(({ status, headers }) => ({
        status,
        header: (name) => headers.get(name) ?? undefined,
        names: () => [...headers.keys()],
      })),
    ),
    hasStarted: false,
    bytes: async (limit) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      for (let next = await read(); !next.done; next = await read()) {
        size += next.value.byteLength;
        if (size > limit) return undefined;
        chunks.push(next.value);
      }
      return Buffer.concat(chunks, size);
    },
    stream: (watch) => {
      const stream = new BodyStream(
        {
          pull: () =>
            void read().then(
              (next) => (next.done ? stream.finish() : stream.enqueue(next.value)),
              () => stream.fail(),
            ),
          cancel: abort,
        },
        watch,
      );
      return stream;
    },
    abort,
  };
};
