import { OutgoingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { type ReleasableContent, releaseChunk } from '@portico/core';
import type { Context } from 'koa';

/** Node's own methods, read when this module is loaded. Compared later, to notice that something has replaced them. */
const { write } = OutgoingMessage.prototype;
const { write: writeToSocket } = Socket.prototype;

/**
 * Returns a function to call with each chunk of the content, before the chunk is written. It releases the chunks before that
 * are sent.
 *
 * A chunk that something else can still read must not be released. So this requires that the content has only two readers:
 * the caller, and the pipe to the response of Node. A compressor, for example, replaces the body, or the method `write` of a
 * response or of the prototype. Responses of HTTP/2 have another `write`: a chunk may still wait in the session. A
 * connection that is no socket of Node (a program can pass any duplex stream to a server) may hand the chunk itself to its
 * other end.
 */
export const sentChunkRelease = ({ res }: Context, content: Readable): ((chunk: Uint8Array | string) => void) => {
  if (!isReleasable(content)) return () => {};
  let isPiped = false;
  // Permanent: a removed reader may still hold chunks that it has read.
  let hasOtherReader = false;
  let written: Uint8Array[] = [];
  res.on('pipe', (source) => {
    isPiped ||= source === content;
    // Between two pipes, too.
    hasOtherReader ||= content.readableDidRead;
  });
  return (chunk) => {
    hasOtherReader ||=
      !isPiped || content.listenerCount('data') > 2 || content.listenerCount('readable') > 0 || res.write !== write;
    if (hasOtherReader || typeof chunk === 'string') {
      written = [];
      return;
    }
    if (res.writableLength === 0) {
      const isNodeSocket = res.socket instanceof Socket && res.socket.write === writeToSocket;
      if (isNodeSocket) for (const each of written) content[releaseChunk](each);
      written = [];
    }
    written.push(chunk);
  };
};

const isReleasable = (content: Readable): content is Readable & ReleasableContent => releaseChunk in content;
