import { isKeptStatus, strongEtag, type UpstreamReason } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import type { Call } from './call.ts';
import { type JsonResponse, jsonResponse } from './json-response.ts';
import type { Head } from './transport.ts';

/** A response of any type whose body was read completely. `value` is undefined when the body is not JSON. */
export interface WholeResponse extends JsonResponse {
  readonly bytes: Uint8Array;
  readonly header: Head['header'];
}

/** A response whose headers have arrived. `content` is its body, read as it is consumed. */
export interface StreamResponse {
  readonly status: number;
  readonly header: Head['header'];
  readonly content: AsyncIterable<Uint8Array>;
}

/** The media type of a stream. Without `keepsStatus`, a 204 is malformed: a document has content. */
export interface ExpectedStream {
  readonly type: string;
  /** Default: false. */
  readonly keepsStatus?: boolean;
}

type Read<T> = Promise<Result<T, UpstreamReason>>;

export const readJson = async (head: Head, call: Call, maxBytes: number): Read<JsonResponse> => {
  const { status } = head;
  if (status === 204) {
    void call.discard();
    return ok({ status, text: '', value: undefined });
  }
  if (!hasType(head, 'application/json')) return err('malformed');
  const bytes = await readWhole(head, call, maxBytes);
  if (!bytes) return err('too-large');
  const response = jsonResponse(keptStatus(status), bytes, strongEtag(head.header('etag')));
  return response ? ok(response) : err('malformed');
};

export const readText = async (head: Head, call: Call, maxBytes: number): Read<WholeResponse> => {
  const bytes = await readWhole(head, call, maxBytes);
  if (!bytes) return err('too-large');
  const { status, header } = head;
  const response = jsonResponse(status, bytes) ?? { status, text: String(bytes), value: undefined };
  return ok(Object.assign(response, { header, bytes }));
};

export const readStream = async (
  head: Head,
  call: Call,
  { type, keepsStatus = false }: ExpectedStream,
): Read<StreamResponse> => {
  const { status, header } = head;
  if (!is2xx(status) || (status === 204 && keepsStatus)) {
    void call.discard();
    return ok({ status, header, content: emptyBody() });
  }
  if (status === 204 || !hasType(head, type)) return err('malformed');
  // Waits for the first bytes, because until then a failure can still be returned as a result.
  const content = call.exchange.stream(call);
  await content.started();
  return ok({ status, header, content });
};

/** Returns undefined when the body is too large, at once if `Content-Length` announces it. */
const readWhole = async (head: Head, call: Call, maxBytes: number): Promise<Buffer | undefined> => {
  if (Number(head.header('content-length')) > maxBytes) return undefined;
  const bytes = await call.exchange.bytes(maxBytes);
  if (bytes) call.done();
  return bytes;
};

export const is2xx = (status: number): boolean => status >= 200 && status <= 299;

const keptStatus = (status: number): number => (is2xx(status) && !isKeptStatus(status) ? 200 : status);

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** Whether the body has this media type and is not compressed; compression was not requested. */
const hasType = ({ header }: Head, type: string): boolean => {
  const contentType = header('content-type') ?? '';
  return (
    (contentType === type || contentType.split(';', 1)[0]?.trim().toLowerCase() === type) &&
    (header('content-encoding') ?? 'identity') === 'identity'
  );
};
