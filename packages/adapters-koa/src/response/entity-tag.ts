import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/** Returns a strong entity tag of this content (RFC 9110, section 8.8.3). */
export const entityTag = (content: string | Buffer): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;

/** Sends content with its entity tag, or 304 if the client has the current version. The caller sets the media type before. */
export const sendTagged = (ctx: Context, content: string | Buffer, etag: string): void => {
  ctx.set('ETag', etag);
  ctx.status = 200;
  ctx.body = content;
  // Removes the body and its headers.
  if (isCurrent(ctx, etag)) ctx.status = 304;
};

/**
 * Whether the client has the current version: `If-None-Match`, compared weakly (RFC 9110, section 13.1.2).
 * `If-Modified-Since` is ignored: after a rollback, or where builds have fixed dates, a date does not identify a version.
 */
const isCurrent = (ctx: Context, etag: string): boolean =>
  ctx
    .get('If-None-Match')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === etag);
