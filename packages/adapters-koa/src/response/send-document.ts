import { Readable } from 'node:stream';
import {
  type DocumentConditions,
  documentHeaderFields,
  type DocumentResponse,
  documentStatus,
  readDocumentConditions,
} from '@portico/core';
import type { Context } from 'koa';

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
    ctx.body = content instanceof Readable ? content : Readable.from(content, { objectMode: false });
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
