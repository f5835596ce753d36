import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { fromThrowable } from 'neverthrow';
import { isClosed } from '../disconnect-signal.ts';
import { sendContinue } from './expect-continue.ts';
import { keptBody } from './kept-body.ts';
import { MountError } from '../mount-error.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const decode = fromThrowable((bytes: Buffer): string => decoder.decode(bytes));

export const isUncompressed = ({ request }: Context): boolean =>
  /^(?:identity)?$/i.test(request.get('Content-Encoding'));

/**
 * Reads the body. `disconnected`: the client disconnected. `stopped` ends the reading with its value, and releases what was
 * read. Throws `MountError` if the body was already read, and any other error.
 */
export const readBody = async <Stopped extends string = never>(
  { req, request, res }: Context,
  limit: number,
  stopped?: Promise<Stopped>,
): Promise<Buffer | 'too-large' | 'disconnected' | Stopped> => {
  if ((request.length ?? 0) > limit) return 'too-large';
  // The client disconnected while the token was verified.
  if (req.aborted) return 'disconnected';
  if (req.readableEnded || req.readableDidRead || req.readableEncoding !== null) return readBefore(req);
  if (isClosed(req)) return 'disconnected';
  sendContinue(res);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | 'too-large' | 'disconnected' | Stopped>();
  const body = growingBuffer(limit);
  const onData = (chunk: Buffer) => {
    if (!body.append(chunk)) resolve('too-large');
  };
  // An HTTP/2 stream that the client resets also ends.
  const onEnd = () => resolve(req.aborted ? 'disconnected' : body.bytes());
  const onClose = () => resolve('disconnected');
  const onError = (error: unknown) => (req.destroyed ? onClose() : reject(error));
  req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError);
  void stopped?.then(resolve);
  try {
    return await promise;
  } finally {
    req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError);
    // Discard the rest, so that the client can finish sending. Node does this only for bodies that were never read.
    req.resume();
  }
};

/** Returns the body that a parser has read before, if it kept the bytes. */
const readBefore = (req: IncomingMessage): Buffer => {
  const kept = keptBody(req);
  if (kept) return kept;
  throw new MountError(
    'The request body was read before the routes of Portico. Mount them before body parsers, or keep the bytes in rawBody.',
  );
};

/**
 * Collects chunks in one buffer that grows. Kept apart, each chunk would take about 400 bytes of memory, also if it has
 * only one: a client chooses the size of its chunks (RFC 9112, section 7.1).
 */
const growingBuffer = (limit: number) => {
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  return {
    /** Returns false, without appending, beyond the limit. */
    append: (chunk: Buffer): boolean => {
      const needed = length + chunk.length;
      if (needed > limit) return false;
      if (length === 0) buffer = chunk;
      else if (needed > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(2 * buffer.length, needed)));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      if (length > 0) chunk.copy(buffer, length);
      length = needed;
      return true;
    },
    bytes: (): Buffer => buffer.subarray(0, length),
  };
};

/** Returns undefined if the bytes are not UTF-8. */
export const decodeText = (bytes: Buffer): string | undefined => decode(bytes).unwrapOr(undefined);
