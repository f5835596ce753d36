import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { send } from '@koa/send';
import type { Context, Middleware } from 'koa';

export interface PagesSettings {
  /** Folder of the built pages. It is listed once, at the start; `index.html` stands for every page of the app. */
  readonly directory: string;
  /** What the pages must know before anybody has signed in: `GET /config.json`. Nothing secret. */
  readonly config: object;
  /** Origins beside our own that the pages may talk to, such as the identity provider's. */
  readonly connectTo?: readonly string[];
}

/**
 * Serves built pages under a strict Content-Security-Policy: scripts and styles from here only, none inline. Files under
 * `assets/` carry a hash in their names and may be kept for ever. Throws when the folder has no `index.html`.
 */
export const pages = ({ directory, config, connectTo = [] }: PagesSettings): Middleware => {
  const files = filesIn(directory);
  if (!files.has('/index.html')) throw new TypeError('The folder of the pages has no index.html.');
  const headers = {
    'Content-Security-Policy': contentSecurityPolicy(connectTo),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  };
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === '/config.json') {
      ctx.set({ ...headers, 'Cache-Control': 'no-cache' });
      ctx.body = config;
      return undefined;
    }
    const file = files.has(ctx.path) ? ctx.path : isPage(ctx) ? '/index.html' : undefined;
    if (file === undefined) return next();
    ctx.set({
      ...headers,
      'Cache-Control': file.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
    ctx.vary('Accept-Encoding');
    ctx.status = 200;
    await send(ctx, file, { root: directory });
    if (ctx.fresh) {
      ctx.status = 304;
      ctx.body = null;
    }
    return undefined;
  };
};

/** Every file by its path in a URL. Only these are ever opened, so no path leads out of the folder. */
const filesIn = (directory: string): ReadonlySet<string> =>
  new Set(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `/${relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/')}`),
  );

/** A page of the app, whose paths only the app knows: somebody who wants a document, under a path that names no file. */
const isPage = (ctx: Context): boolean =>
  ctx.get('Accept').includes('text/html') && !ctx.path.slice(ctx.path.lastIndexOf('/')).includes('.');

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
