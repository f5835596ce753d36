import type { IncomingMessage } from 'node:http';

/** Properties that body parsers of other frameworks set on a request. */
interface ParsedRequest {
  readonly rawBody?: unknown;
  readonly body?: unknown;
}

/**
 * Returns the bytes of a body that a parser has read: an empty body, or a buffer in `rawBody` or `body` with the declared
 * length. Anything else may differ from what was sent, and is undefined.
 */
export const keptBody = (request: IncomingMessage): Buffer | undefined => {
  if (request.readableEnded && !request.readableDidRead) return Buffer.alloc(0);
  const { rawBody, body } = request as ParsedRequest;
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  return [rawBody, body].find((kept): kept is Buffer => Buffer.isBuffer(kept) && kept.length === declared);
};
