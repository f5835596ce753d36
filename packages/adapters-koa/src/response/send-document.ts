import { Readable } from 'node:stream';
import {
  type DocumentConditions,
  documentHeaderFields,
  type DocumentResponse,
  documentStatus,
  readDocumentConditions,
} from '@portico/core';
import type { Context } from 'koa';
import { sentChunkRelease } from './release-sent.ts';

/** Ranges are defined only for GET (RFC 9110, section 14.2). */
export const conditionsOf = ({ headers, method }: Context): DocumentConditions => {
  const all = readDocumentConditions((name) => headers[name] as string | undefined);
  if (method !== 'HEAD') return all;
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
 * Releases the chunks that are sent, and closes the connection if the content is shorter or longer than announced. Node does
 * not, and the next response would be read from a wrong position: behind a proxy, possibly by another member. NaN: no length
 * is announced.
 */
const watchContent = (ctx: Context, content: Readable, announced: number): void => {
  let left = announced;
  const releaseSent = sentChunkRelease(ctx, content);
  const closeWith = (problem: string) => {
    const error = new Error(`The content is ${problem} than its Content-Length.`);
    ctx.app.emit('error', error, ctx);
    ctx.res.destroy(error);
  };
  // The content may have listeners of its service, and must not start before it is sent.
  onEachChunk(content.pause(), (chunk) => {
    left -= chunk.byteLength;
    releaseSent(chunk);
    if (left < 0) closeWith('longer');
  });
  content.once('end', () => {
    if (left > 0) closeWith('shorter');
  });
};

/**
 * Calls `observe` with each chunk that something reads, before its reader gets it, without reading itself: a stream that has
 * only a listener of `data` starts when the last listener of `readable` leaves.
 */
const onEachChunk = (content: Readable, observe: (chunk: Uint8Array) => void): void => {
  content.on('newListener', (event: string, listener: unknown) => {
    const isReader = (event === 'data' || event === 'readable') && listener !== observe;
    if (isReader && !content.listeners('data').includes(observe)) content.on('data', observe);
  });
  content.on('removeListener', (event: string) => {
    if (event === 'readable' && content.listenerCount('readable') === 0 && content.listenerCount('data') === 1)
      content.off('data', observe);
  });
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
