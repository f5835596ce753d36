import ky from 'ky';
import { BodyStream } from './body-stream.ts';
import type { Exchange, Transport } from './transport.ts';

/** By ky, over the `fetch` that the settings of an adapter name. */
export const kyTransport = (fetch: typeof globalThis.fetch): Transport => {
  const client = ky.create({
    retry: 0,
    redirect: 'manual',
    throwHttpErrors: false,
    timeout: false,
    headers: { 'accept-encoding': 'identity' },
    fetch,
  });
  return ({ method, url, headers, body }) => {
    const controller = new AbortController();
    const answer = client(url, {
      method,
      headers: headers ?? {},
      signal: controller.signal,
      ...(body !== undefined && { body }),
    });
    return exchangeOf(answer, () => controller.abort());
  };
};

const exchangeOf = (answer: Promise<Response>, abort: () => void): Exchange => ({
  head: answer.then(({ status, headers }) => ({ status, header: (name) => headers.get(name) ?? undefined })),
  hasBegun: false,
  bytes: async (limit) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of (await answer).body ?? []) {
      size += chunk.byteLength;
      if (size > limit) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, size);
  },
  stream: (watch) => {
    const reader = answer.then(({ body }) => body?.getReader());
    const read = async () => (await (await reader)?.read()) ?? { done: true as const };
    const stream = new BodyStream(
      {
        pull: () =>
          void read().then(
            (next) => (next.done ? stream.finish() : stream.give(next.value)),
            () => stream.fail(),
          ),
        abandon: abort,
      },
      watch,
    );
    return stream;
  },
  abort,
});
