import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { send } from '@koa/send';
import type { Context, Middleware } from 'koa';
import { noteRoute } from './answer-report.ts';

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
  if (!files.has(index)) throw new TypeError('The folder of the pages has no index.html.');
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
    const file = files.has(path) ? path : isPage(ctx, path) ? index : undefined;
    if (file === undefined || !(await sendFile(ctx, directory, file, files))) return next();
    ctx.set({
      ...headers,
      'Cache-Control': file.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
    noteRoute(ctx, 'pages');
    ctx.vary('Accept-Encoding');
    ctx.status = 200;
    if (ctx.fresh || ctx.method === 'HEAD') letGo(ctx.body as Readable);
    if (ctx.fresh) {
      ctx.status = 304;
      ctx.body = null;
    }
    return undefined;
  };
};

/** Of a file that nobody will read: it may not even have been opened yet. */
const letGo = (file: Readable): void => {
  file.on('error', () => {}).destroy();
};

const index = '/index.html';

/** Whether there are pages to serve: the folder is there, and an `index.html` of its own in it. */
export const holdsPages = (directory: string): boolean =>
  existsSync(directory) && statSync(directory).isDirectory() && filesIn(directory).has(index);

/**
 * Every file by its path in a URL. Only these are ever opened, and a link counts only where it stays in the folder: so no
 * path leads out of it. Hidden files are none.
 */
const filesIn = (directory: string): ReadonlySet<string> => {
  const root = realpathSync(directory);
  const isInside = (path: string) => {
    const real = realpathSync(path);
    return real.startsWith(root + sep) && statSync(real).isFile();
  };
  const walk = (folder: string, url: string): readonly string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.')) return [];
      if (entry.isDirectory()) return walk(path, `${url}${entry.name}/`);
      return entry.isFile() || (entry.isSymbolicLink() && existsSync(path) && isInside(path)) ? [url + entry.name] : [];
    });
  return new Set(walk(root, '/'));
};

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/**
 * The start page, or a page of the app, whose paths only the app knows: somebody who wants a document, under a path that
 * names no file.
 */
const isPage = (ctx: Context, path: string): boolean => {
  if (path === '/') return true;
  ctx.vary('Accept');
  return (
    ctx.get('Accept').includes('text/html') &&
    !path.startsWith('//') &&
    !path.slice(path.lastIndexOf('/')).includes('.')
  );
};

/** Sends the file, compressed where that was prepared. False when it is not there any more. */
const sendFile = async (ctx: Context, root: string, file: string, files: ReadonlySet<string>): Promise<boolean> => {
  const encoded = file.split('/').map(encodeURIComponent).join('/');
  try {
    await send(ctx, encoded, { root, brotli: files.has(`${file}.br`), gzip: files.has(`${file}.gz`) });
    return true;
  } catch (error) {
    if ((error as { readonly status?: number }).status !== 404) throw error;
    ctx.remove('Content-Encoding');
    return false;
  }
};

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
