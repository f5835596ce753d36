import { extname } from 'node:path';
import type { Context, Middleware } from 'koa';
import { fromThrowable } from 'neverthrow';
import { recordRoute } from '../request/request-report.ts';
import { sendTagged } from '../response/entity-tag.ts';
import { sendValue } from '../response/reply.ts';
import { index, type PageFile, readPageFiles } from './page-files.ts';

export interface PagesSettings {
  /**
   * Folder of the built pages, at most 256 MiB. It is read once at startup and served from memory. `index.html` is sent for
   * every page of the app.
   */
  readonly directory: string;
  /** Public configuration of the pages, served at `GET /config.json`. Must not contain secrets. */
  readonly config: object;
  /** Other origins that the pages may call, such as the identity provider's. */
  readonly connectTo?: readonly string[];
}

/**
 * Serves built pages with a strict Content-Security-Policy: only scripts and styles of this origin, none inline. Files under
 * `assets/` have a hash in their names and may be cached forever; others are revalidated by entity tag. Throws `TypeError`
 * if the folder has no `index.html` or is too large.
 */
export const pages = ({ directory, config, connectTo = [] }: PagesSettings): Middleware => {
  const files = readPageFiles(directory);
  const headers = {
    'Content-Security-Policy': contentSecurityPolicy(connectTo),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  };
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === '/config.json') {
      recordRoute(ctx, '/config.json');
      ctx.set({ ...headers, 'Cache-Control': 'no-cache' });
      sendValue(ctx, config, 200);
      return undefined;
    }
    const path = decoded(ctx.path);
    const name = files.has(path) ? path : isPage(ctx, path) ? index : undefined;
    if (name === undefined) return next();
    ctx.set({
      ...headers,
      'Cache-Control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
    recordRoute(ctx, 'pages');
    sendFile(ctx, name, files);
    return undefined;
  };
};

const decoded = (path: string): string => fromThrowable(decodeURIComponent)(path).unwrapOr(path);

/** Whether to send `index.html`: at `/`, and if the client accepts HTML and the path has no file extension. */
const isPage = (ctx: Context, path: string): boolean => {
  if (path === '/') return true;
  ctx.vary('Accept');
  return (
    ctx.get('Accept').includes('text/html') &&
    !path.startsWith('//') &&
    !path.slice(path.lastIndexOf('/')).includes('.')
  );
};

/** Sends a file, compressed if the build contains a compressed variant, or 304 if the client has the current version. */
const sendFile = (ctx: Context, name: string, files: ReadonlyMap<string, PageFile>): void => {
  const [encoding, suffix] = encodings.find(
    ([encoding, suffix]) => files.has(name + suffix) && ctx.acceptsEncodings(encoding, 'identity') === encoding,
  ) ?? [undefined, ''];
  const { content, etag } = files.get(name + suffix)!;
  ctx.vary('Accept-Encoding');
  ctx.type = extname(name);
  sendTagged(ctx, content, etag);
  if (encoding !== undefined && ctx.status === 200) ctx.set('Content-Encoding', encoding);
};

/** Encodings and suffixes of compressed variants, in order of preference. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Content Security Policy Level 3. */
const contentSecurityPolicy = (connectTo: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    ["connect-src 'self'", ...connectTo].join(' '),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
