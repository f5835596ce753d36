import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/** Returns a strong entity tag of this content (RFC 9110, section 8.8.3). */
export const entityTag = (content: string | Buffer): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;

/**
 * Whether the client has the current version: `If-None-Match`, compared weakly (RFC 9110, section 13.1.2).
 * `If-Modified-Since` is ignored: after a rollback, or where builds have fixed dates, a date does not identify a version.
 */
export const isCurrent = (ctx: Context, etag: string): boolean =>
  ctx
    .get('If-None-Match')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === etag);
