import ky from 'ky';
import type { Exchange, Transport } from './transport.ts';

/** By ky, over the platform's `fetch` or another: for the few questions that are asked of an identity provider. */
export const kyTransport = (fetch?: typeof globalThis.fetch): Transport => {
  const client = ky.create({
    retry: 0,
    redirect: 'manual',
    throwHttpErrors: false,
    timeout: false,
    headers: { 'accept-encoding': 'identity' },
    ...(fetch && { fetch }),
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
  chunks: () => {
    const body = answer.then((response) => (response.body ?? ReadableStream.from([]))[Symbol.asyncIterator]());
    return {
      next: async () => {
        const { done, value } = (await (await body).next()) as IteratorResult<Uint8Array>;
        return done ? { done, value: undefined } : { done: false, value };
      },
    };
  },
  abort,
});
