import { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import {
  type DocumentConditions,
  documentHeaderFields,
  type DocumentResponse,
  documentStatus,
  readDocumentConditions,
} from '@portico/core';
import type { Context } from 'koa';
import { isClosed } from '../request/disconnect-signal.ts';
import { recordBrokenContent } from '../request/request-report.ts';
import { sentChunkRelease } from './release-sent.ts';

/**
 * The conditions of a request. Ranges are defined only for GET (RFC 9110, section 14.2). With a precondition that is not
 * among them (sections 13.1.1 and 13.1.4), a range is ignored: it could be of another version than the client has.
 */
export const conditionsOf = ({ headers, method }: Context): DocumentConditions => {
  const all = readDocumentConditions((name) => headers[name] as string | undefined);
  if (method !== 'HEAD' && !('if-match' in headers) && !('if-unmodified-since' in headers)) return all;
  const { range: _, ifRange: __, ...others } = all;
  return others;
};

/** Sends a document as a stream. `name` is the file name without its extension; it must be safe in a header. */
export const sendDocument = (ctx: Context, response: DocumentResponse, type: string, name: string): void => {
  ctx.status = documentStatus[response.outcome];
  if ('content' in response) {
    const { content } = response;
    const body = content instanceof Readable ? content : Readable.from(content, { objectMode: false });
    watchContent(ctx, body, Number(response.headers.contentLength));
    ctx.body = body;
    // Koa does not notice that a stream of HTTP/2 was reset before.
    if (isClosed(ctx.res)) body.destroy();
    ctx.set('Content-Type', type);
    // Relaxed, because the PDF viewers of browsers run under this policy.
    if (type === 'application/pdf') ctx.set('Content-Security-Policy', "frame-ancestors 'none'");
    // Not taken from the document service.
    const display = isShown(type) ? 'inline' : 'attachment';
    ctx.set('Content-Disposition', `${display}; filename="${name}.${extensionOf(type)}"`);
  } else {
    ctx.body = '';
    ctx.type = '';
  }
  ctx.set(documentHeaderFields(response));
};

/**
 * Releases the chunks that are sent, and closes the connection if the content is shorter than announced, or the response
 * shorter or longer than its `Content-Length`. Node does not close it, so the client would read the next response from a
 * wrong position: behind a proxy, possibly for another member. NaN: no length is announced.
 */
const watchContent = (ctx: Context, content: Readable, announced: number): void => {
  const { res } = ctx;
  const close = (problem: string) => {
    if (res.destroyed) return;
    recordBrokenContent(ctx);
    const error = new Error(`The content is ${problem} than its Content-Length.`);
    ctx.app.emit('error', error, ctx);
    resetHttp10(ctx);
    res.destroy(error);
  };
  // Before the listeners of the pipe, which destroy the response. An error before the pipe would otherwise end the process;
  // Koa reports it when it sends the content.
  content.on('error', () => {
    if (!isClosed(res)) recordBrokenContent(ctx);
    resetHttp10(ctx);
  });
  // The service may have added listeners; the content must not flow before it is sent.
  const read = countRead(content.pause());
  content.once('end', () => {
    if (read.bytes < announced) close('shorter');
  });
  const releaseSent = sentChunkRelease(ctx, content);
  const length = () => Number(res.getHeader('Content-Length') ?? NaN);
  let sent = 0;
  const onEnd = () => {
    if (sent < length()) close('shorter');
  };
  const pipes = new Map<unknown, () => void>();
  // Only what is piped counts as sent: a middleware may read chunks, and put them back or not.
  res.on('pipe', (source: Readable) => {
    const onChunk = (chunk: Uint8Array | string) => {
      sent += Buffer.byteLength(chunk);
      if (source === content) releaseSent(chunk);
      if (sent > length()) close('longer');
    };
    // Before the listeners of the pipe. It does not start the stream.
    source.prependListener('data', onChunk);
    if (source.readableEnded) onEnd();
    else source.prependOnceListener('end', onEnd);
    pipes.set(source, () => source.off('data', onChunk).off('end', onEnd));
  });
  res.on('unpipe', (source: Readable) => pipes.get(source)?.());
};

/**
 * Resets the connection of an incomplete response to HTTP/1.0. Without a length, its content ends where the connection ends
 * (RFC 9112, section 6.3), so a part would look complete. A TLS connection is closed without `close_notify` instead; a
 * Unix socket cannot be reset.
 */
const resetHttp10 = ({ req, res }: Context): void => {
  const { socket } = res;
  if (req.httpVersion !== '1.0' || !res.headersSent || res.writableFinished || res.hasHeader('Content-Length')) return;
  if (socket?.remoteFamily !== undefined && !(socket instanceof TLSSocket)) socket.resetAndDestroy();
};

/**
 * Counts the bytes that are read from a stream, by any reader: `read` emits `data` also without a listener, and a listener
 * could start the stream. What a reader puts back counts twice.
 */
const countRead = (content: Readable): { readonly bytes: number } => {
  const read = { bytes: 0 };
  const { emit } = content;
  content.emit = (event: string | symbol, ...values: unknown[]) => {
    if (event === 'data') read.bytes += Buffer.byteLength(values[0] as Uint8Array | string);
    return Reflect.apply(emit, content, [event, ...values]);
  };
  return read;
};

/** Other types are saved as files: a browser would run the scripts of some, such as HTML and SVG, with this origin. */
const isShown = (type: string): boolean => /^(?:application\/pdf|image\/(?:gif|jpeg|png|webp))$/.test(type);

const extensions: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['application/zip', 'zip'],
  ['image/gif', 'gif'],
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['text/calendar', 'ics'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/xml', 'xml'],
]);

/** The file extension of a media type: known, or that of its structured suffix (RFC 6839), or `bin`. */
const extensionOf = (type: string): string => {
  const [, suffix] = /[/+](json|xml|zip)$/.exec(type) ?? [];
  return extensions.get(type) ?? suffix ?? 'bin';
};
