import type { ClientFailure } from './failure.ts';

/** Thrown while a body is read that is larger than the limit. */
class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`The response is larger than ${limitBytes} bytes.`);
    this.limitBytes = limitBytes;
  }
}

/** The body, after decompression. It fails and is cancelled once it is larger than the limit. */
export const limitBody = (
  { body }: Pick<Response, 'body'>,
  limitBytes: number,
): ReadableStream<Uint8Array<ArrayBuffer>> | null => {
  let received = 0;
  const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      received += chunk.length;
      if (received > limitBytes) throw new ResponseTooLarge(limitBytes);
      controller.enqueue(chunk);
    },
  });
  return body?.pipeThrough(count) ?? null;
};

/** The failure of reading a limited body. */
export const readFailure = (cause: unknown): ClientFailure =>
  cause instanceof ResponseTooLarge
    ? { kind: 'response-too-large', limitBytes: cause.limitBytes }
    : { kind: 'interrupted' };
