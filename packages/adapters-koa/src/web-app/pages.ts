import { extname } from 'node:path';
import type { Context, Middleware } from 'koa';
import { noteRoute } from '../middleware/request-report.ts';
import { isCurrent } from '../response/entity-tag.ts';
import { index, type PageFile, readPageFiles } from './page-files.ts';

export interface PagesSettings {
  /**
   * Folder of the built pages, at most 256 MiB. It is read once, at the start, and served from memory; `index.html` is
   * sent for every page of the app.
   */
  readonly directory: string;
  /** What the pages must know before anybody has signed in: `GET /config.json`. Nothing secret. */
  readonly config: object;
  /** Origins beside our own that the pages may talk to, such as the identity provider's. */
  readonly connectTo?: readonly string[];
}

/**
 * Serves built pages under a strict Content-Security-Policy: scripts and styles from here only, none inline. Files under
 * `assets/` carry a hash in their names and may be cached for ever; the others are revalidated by their entity tag. Throws
 * `TypeError` when the folder has no `index.html` or is too large.
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
      noteRoute(ctx, '/config.json');
      ctx.set({ ...headers, 'Cache-Control': 'no-cache' });
      ctx.body = config;
      return undefined;
    }
    const path = decoded(ctx.path);
    const name = files.has(path) ? path : isPage(ctx, path) ? index : undefined;
    if (name === undefined) return next();
    ctx.set({
      ...headers,
      'Cache-Control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
    noteRoute(ctx, 'pages');
    sendFile(ctx, name, files);
    return undefined;
  };
};

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** Whether the index is sent: at `/`, and for a client that accepts HTML at a path that cannot be a file's. */
const isPage = (ctx: Context, path: string): boolean => {
  if (path === '/') return true;
  ctx.vary('Accept');
  return (
    ctx.get('Accept').includes('text/html') &&
    !path.startsWith('//') &&
    !path.slice(path.lastIndexOf('/')).includes('.')
  );
};

/** Sends a file, compressed where that was prepared, or 304 when the client has it. */
const sendFile = (ctx: Context, name: string, files: ReadonlyMap<string, PageFile>): void => {
  const [encoding, suffix] = encodings.find(
    ([encoding, suffix]) => files.has(name + suffix) && ctx.acceptsEncodings(encoding, 'identity') === encoding,
  ) ?? [undefined, ''];
  const { content, etag } = files.get(name + suffix)!;
  ctx.vary('Accept-Encoding');
  ctx.set('ETag', etag);
  if (isCurrent(ctx, etag)) {
    ctx.status = 304;
    return;
  }
  if (encoding !== undefined) ctx.set('Content-Encoding', encoding);
  ctx.status = 200;
  ctx.type = extname(name);
  ctx.body = content;
};

/** What a build may leave beside a file, in order of preference. */
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
