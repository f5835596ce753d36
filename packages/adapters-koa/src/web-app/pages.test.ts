import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { createUseCases } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PagesSettings } from './pages.ts';
import { type TestResponse, openSocket, listening, readToEnd, send } from '../server/portal.test.support.ts';
import { clientOf, searchFakes } from '../server/search.test.support.ts';
import { drain } from '../server/draining.ts';
import { createServer } from '../server/server.ts';

const html = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const index = '<!doctype html><title>Portico</title>';
const app = "console.log('portico');\n".repeat(40);

/** The files of a build. */
const built = {
  'index.html': index,
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'robots.txt': 'User-agent: *\n',
  'site.webmanifest': '{}',
  'assets/app-5f3a.js': app,
  'assets/app-5f3a.js.br': brotliCompressSync(app),
  'assets/app-5f3a.js.gz': gzipSync(app),
  'assets/app-77c1.css': 'body{}',
  'assets/sans-0d2e.woff2': 'a font',
};

type Files = Readonly<Record<string, string | Buffer>>;

/** A temporary folder of pages, next to a file that must not be served. */
const folderOf = (files: Files) => {
  const parent = mkdtempSync(join(tmpdir(), 'portico-pages-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  writeFileSync(join(parent, 'secret.txt'), 'hunter2');
  const directory = join(parent, 'pages');
  mkdirSync(directory);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return {
    directory,
    link: (name: string, target: string) => symlinkSync(target, join(directory, name)),
    remove: (name: string) => rmSync(join(directory, name)),
    add: (name: string, content: string) => writeFileSync(join(directory, name), content),
    append: (name: string, content: string) => appendFileSync(join(directory, name), content),
    resize: (name: string, bytes: number) => truncateSync(join(directory, name), bytes),
    date: (name: string, modified: Date) => utimesSync(join(directory, name), modified, modified),
  };
};

/** Responses of pages, which have this header, are not in the OpenAPI document. */
const pageResponses = { isForeign: ({ headers }: TestResponse) => 'cross-origin-opener-policy' in headers };

/** A server with only pages. */
const servePages = async (folder = folderOf(built), settings: Partial<PagesSettings> = {}) => {
  const errors: unknown[] = [];
  const pages = { directory: folder.directory, config: {}, ...settings };
  const port = await listening(createServer({}, { pages, onError: (error) => errors.push(error) }), pageResponses);
  return {
    port,
    errors,
    request: (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
      send(port, method, path, { headers }),
  };
};

/** A version of the pages with this modification date. */
const serveDated = async (content: string, date: string) => {
  const folder = folderOf({ ...built, 'index.html': content });
  folder.date('index.html', new Date(date));
  return servePages(folder);
};

const expectNoSuchRoute = ({ status, headers, text }: TestResponse) => {
  expect([status, text]).toEqual([404, expect.stringContaining('"code":"no-such-route"')]);
  expect(headers['content-type']).toBe('application/problem+json');
};

/** The headers that are equal for identical requests. */
const stableHeaders = ({ 'x-request-id': _, date: __, ...rest }: TestResponse['headers']) => rest;

/** Sends any request target, including invalid ones (RFC 9112, section 3.2). */
const sendRaw = async (port: number, target: string, headers: Readonly<Record<string, string>> = {}) => {
  const socket = await openSocket(port);
  const lines = Object.entries({ host: 'portal', connection: 'close', ...headers }).map((line) => line.join(': '));
  socket.write([`GET ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
  const response = await readToEnd(socket);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(response)?.[1]),
    text: response.slice(response.indexOf('\r\n\r\n') + 4),
  };
};

describe('built files', () => {
  it.each([
    ['/index.html', 'text/html; charset=utf-8'],
    ['/icon.svg', 'image/svg+xml'],
    ['/robots.txt', 'text/plain; charset=utf-8'],
    ['/site.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['/assets/app-5f3a.js', 'text/javascript; charset=utf-8'],
    ['/assets/app-77c1.css', 'text/css; charset=utf-8'],
    ['/assets/sans-0d2e.woff2', 'font/woff2'],
    ['/icon.svg?v=2', 'image/svg+xml'],
  ])('sends built files with their media type, whatever the Accept header: %s as %s', async (path, type) => {
    const { request } = await servePages();
    for (const accept of ['*/*', html.accept, 'application/json']) {
      const { status, headers, text } = await request(path, { accept });
      const [name = ''] = path.slice(1).split('?');
      expect([status, headers['content-type'], text]).toEqual([200, type, built[name as keyof typeof built]]);
      expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('allows caching forever for files with a hash in their name and requires revalidation otherwise', async () => {
    const { request } = await servePages();
    const cacheControlOf = async (path: string) => (await request(path, html)).headers['cache-control'];
    const [immutable, revalidated] = ['public, max-age=31536000, immutable', 'no-cache'];
    expect(await Promise.all(['/assets/app-5f3a.js', '/assets/app-77c1.css'].map(cacheControlOf))).toEqual([
      immutable,
      immutable,
    ]);
    expect(
      await Promise.all(['/', '/index.html', '/icon.svg', '/account', '/config.json'].map(cacheControlOf)),
    ).toEqual(Array.from({ length: 5 }, () => revalidated));
  });

  it.each(['/', '/account', '/assets/app-5f3a.js', '/config.json'])(
    'returns the headers of GET for HEAD %s',
    async (path) => {
      const { request } = await servePages();
      const [whole, head] = [await request(path, html), await request(path, html, 'HEAD')];
      expect([head.status, stableHeaders(head.headers), head.text]).toEqual([200, stableHeaders(whole.headers), '']);
    },
  );

  it.each(['/', '/assets/app-5f3a.js'])('returns 304 if If-None-Match matches: %s', async (path) => {
    const { request } = await servePages();
    const { etag = '', vary, 'cache-control': cacheControl } = (await request(path, html)).headers;
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      for (const method of ['GET', 'HEAD']) {
        const { status, headers, text } = await request(path, { ...html, 'if-none-match': tag }, method);
        expect([tag, status, text]).toEqual([tag, 304, '']);
        expect(headers).toMatchObject({ etag, vary, 'cache-control': cacheControl });
        expect(headers).not.toHaveProperty('content-type');
      }
    expect((await request(path, { ...html, 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each([
    ['2025-11-20', '2025-11-01'],
    ['2025-11-01', '2025-11-20'],
    ['1980-01-01', '1980-01-01'],
  ])('sends a file to a client with another version, whatever the dates: from %s to %s', async (before, after) => {
    const [first, second] = [
      await serveDated('<title>first</title>', before),
      await serveDated('<title>other</title>', after),
    ];
    const { etag = '' } = (await first.request('/', html)).headers;
    const later = { ...html, 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' };
    for (const headers of [later, { ...later, 'if-none-match': etag }]) {
      const { status, text } = await second.request('/', headers);
      expect([status, text]).toEqual([200, '<title>other</title>']);
    }
    expect((await first.request('/', { ...html, 'if-none-match': etag, 'if-modified-since': before })).status).toBe(
      304,
    );
  });

  it('does not serve files that were added after startup', async () => {
    const folder = folderOf(built);
    const { request } = await servePages(folder);
    folder.add('new.txt', 'new');
    expectNoSuchRoute(await request('/new.txt'));
  });

  it.each(['icon.svg', 'index.html', 'assets/app-5f3a.js', 'assets/app-5f3a.js.br'])(
    'serves files as they were at startup if %s is changed, emptied or removed',
    async (name) => {
      const folder = folderOf(built);
      const { request, errors } = await servePages(folder);
      const path = name === 'index.html' ? '/' : `/${name.replace('.br', '')}`;
      const options = { ...html, 'accept-encoding': 'br' };
      const before = await request(path, options);
      const changes = [
        () => folder.add(name, 'longer '.repeat(1000)),
        () => folder.add(name, ''),
        () => folder.remove(name),
      ];
      for (const change of changes) {
        change();
        const after = await request(path, options);
        expect([after.status, stableHeaders(after.headers), after.body]).toEqual([
          200,
          stableHeaders(before.headers),
          before.body,
        ]);
      }
      expect(errors).toEqual([]);
    },
  );

  it('does not corrupt the next response if a file grows while it is sent', async () => {
    const script = 'x'.repeat(20_000_000);
    const folder = folderOf({ ...built, 'assets/big-1a2b.js': script });
    const { port } = await servePages(folder);
    const socket = await openSocket(port);
    socket.write('GET /assets/big-1a2b.js HTTP/1.1\r\nHost: portal\r\n\r\n');
    await once(socket, 'readable');
    folder.append('assets/big-1a2b.js', 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nhunter2');
    socket.write('GET /icon.svg HTTP/1.1\r\nHost: portal\r\nConnection: close\r\n\r\n');
    const received = await readToEnd(socket);
    const [, next = ''] = received.split(script);
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*?\r\nContent-Length: 20000000\r\n/i);
    expect(next).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*image\/svg\+xml/);
    expect(next.endsWith(built['icon.svg'])).toBe(true);
    expect(received).not.toContain('hunter2');
  });
});

describe('hidden files', () => {
  it.each(['.env', '.vite/manifest.json', 'assets/.DS_Store'])('does not serve the hidden file %s', async (name) => {
    const { request } = await servePages(folderOf({ ...built, [name]: 'hunter2' }));
    expectNoSuchRoute(await request(`/${name}`, html));
  });
});

describe('app pages', () => {
  it.each(['/', '/account', '/account/', '/search?persona=member', '/claims/CLM-1', '/%61ccount'])(
    'returns index.html to a client that accepts HTML: %s',
    async (path) => {
      const { request } = await servePages();
      for (const accept of [html.accept, 'text/html', 'application/json, text/html;q=0.5']) {
        const { status, headers, text } = await request(path, { accept });
        expect([status, headers['content-type'], text]).toEqual([200, 'text/html; charset=utf-8', index]);
      }
    },
  );

  it.each(['*/*', 'application/json', 'text/*', 'text/event-stream', ''])(
    'returns 404 for a page to a client that accepts %j',
    async (accept) => {
      const { request } = await servePages();
      expectNoSuchRoute(await request('/account', { accept }));
      expectNoSuchRoute(await request('/claims/CLM-1', { accept }));
    },
  );

  it('returns 404 for a page to a client without an Accept header', async () => {
    const { request } = await servePages();
    expectNoSuchRoute(await request('/account'));
  });

  it.each([
    '/favicon.ico',
    '/assets/app-0000.js',
    '/account.html',
    '/assets/index.html',
    '/index.html/x.js',
    '/INDEX.HTML',
  ])('returns 404 for a missing file: %s', async (path) => {
    const { request } = await servePages();
    expectNoSuchRoute(await request(path, html));
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('returns 404 for the method %s on pages', async (method) => {
    const { request } = await servePages();
    for (const path of ['/', '/account', '/index.html', '/assets/app-5f3a.js', '/config.json'])
      expectNoSuchRoute(await request(path, html, method));
  });
});

describe('API routes', () => {
  const shadows = [
    'me/coverage',
    'me/claims',
    'me/nothing.html',
    'me/index.html',
    'api/search',
    'api/legs',
    'on_search/index.html',
    'health',
  ];

  /** A server of both APIs, with a page file at the path of each route. */
  const serveShadowed = async () => {
    const fakes = fakePorts();
    const files = Object.fromEntries(shadows.map((name) => [name, 'a shadowing file']));
    const { directory } = folderOf({ ...built, ...files });
    const use = { ...createUseCases(fakes), ...searchFakes().use };
    const port = await listening(createServer(use, { pages: { directory, config: {} } }), pageResponses);
    return { port, authorization: `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}` };
  };

  it.each([
    ['GET', '/me/coverage', 200, { plan: 'gold' }],
    ['GET', '/me/coverage/', 404, { code: 'no-such-route' }],
    ['POST', '/me/claims', 415, { code: 'unsupported-media-type' }],
    ['GET', '/me/nothing', 404, { code: 'no-such-route' }],
    ['GET', '/me/nothing.html', 404, { code: 'no-such-route' }],
    ['GET', '/me/index.html', 404, { code: 'no-such-route' }],
    ['GET', '/me/', 404, { code: 'no-such-route' }],
    ['GET', '/me', 200, { partial: false }],
    ['GET', '/api/search', 405, { code: 'method-not-allowed' }],
    ['GET', '/api/legs', 200, { legs: [{ id: 'moa' }, { id: 'mh' }] }],
    ['GET', '/health', 200, { status: 'ok' }],
    ['GET', '/on_search', 405, { code: 'method-not-allowed' }],
    ['GET', '/on_search/', 405, { code: 'method-not-allowed' }],
  ])('serves the route instead of a page with the same path: %s %s', async (method, path, status, json) => {
    const { port, authorization } = await serveShadowed();
    const response = await send(port, method, path, { headers: { ...html, authorization } });
    expect([response.status, response.json]).toMatchObject([status, json]);
    expect(response.headers['content-security-policy']).toMatch(/^(?:default-src 'none'; )?frame-ancestors 'none'$/);
  });

  it('requires a token for a member route with a page at the same path', async () => {
    const { port } = await serveShadowed();
    expect((await send(port, 'GET', '/me/coverage', { headers: html })).status).toBe(401);
  });
});

describe('compressed variants', () => {
  const path = '/assets/app-5f3a.js';
  const expand = { br: brotliDecompressSync, gzip: gunzipSync };

  it.each([
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=0.5, br;q=0.9', 'br'],
    ['gzip', 'gzip'],
    ['gzip, br;q=0', 'gzip'],
    ['GZIP', 'gzip'],
  ] as const)('selects a compressed variant by Accept-Encoding: %s', async (accepted, encoding) => {
    const { request } = await servePages();
    const { status, headers, body } = await request(path, { 'accept-encoding': accepted });
    expect([status, expand[encoding](body).toString()]).toEqual([200, app]);
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(body.length),
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
  });

  it.each(['identity', 'deflate, zstd', 'br;q=0, gzip;q=0', undefined])(
    'selects no compressed variant for Accept-Encoding: %j',
    async (accepted) => {
      const { request } = await servePages();
      const { headers, text } = await request(path, accepted === undefined ? {} : { 'accept-encoding': accepted });
      expect([text, headers.vary]).toEqual([app, 'Accept-Encoding']);
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers['content-length']).toBe(String(app.length));
    },
  );

  it('sends files without a compressed variant uncompressed', async () => {
    const { request } = await servePages();
    const { headers, text } = await request('/', { ...html, 'accept-encoding': 'br, gzip' });
    expect([text, headers.vary]).toEqual([index, 'Accept-Encoding']);
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('sends a compressed variant with its own entity tag for HEAD and If-None-Match', async () => {
    const { request } = await servePages();
    const accepted = { 'accept-encoding': 'br' };
    const { headers, text } = await request(path, accepted, 'HEAD');
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'content-length': String(built['assets/app-5f3a.js.br'].length),
    });
    expect(text).toBe('');
    const { etag = '' } = headers;
    const again = await request(path, { ...accepted, 'if-none-match': etag });
    expect([again.status, again.text, again.headers.vary]).toEqual([304, '', 'Accept-Encoding']);
    expect((await request(path, { 'if-none-match': etag })).status).toBe(200);
    expect((await request(path, { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(200);
  });

  it('sends a compressed variant as bytes when requested by its own name', async () => {
    const { request } = await servePages();
    const { status, headers, body } = await request(`${path}.br`, { 'accept-encoding': 'br' });
    expect([status, body]).toEqual([200, built['assets/app-5f3a.js.br']]);
    expect(headers).toMatchObject({ 'content-type': 'application/octet-stream', 'x-content-type-options': 'nosniff' });
    expect(headers).not.toHaveProperty('content-encoding');
  });
});

describe('request targets without a path', () => {
  it.each(['http://', 'http://%@portal/', '//%@portal#', '//#@portal'])(
    'does not report a request target without a path as an error: %s',
    async (target) => {
      const { port, errors } = await servePages();
      for (const { accept } of [html, { accept: '*/*' }])
        expect([400, 404]).toContain((await sendRaw(port, target, { accept })).status);
      expect(errors).toEqual([]);
    },
  );
});

describe('files outside the folder', () => {
  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%252e%252e%252fsecret.txt',
    '/..%5csecret.txt',
    String.raw`/..\secret.txt`,
    String.raw`/assets\..\..\secret.txt`,
    '//../secret.txt',
    '//secret.txt',
    '/%00/../secret.txt',
    '/index.html%00.txt',
    '/..%00/secret.txt',
    '/%c0%ae%c0%ae/secret.txt',
    '/%zz.txt',
    'http://portal/../secret.txt',
    'http://portal/assets/../../secret.txt',
    'http://portal/%2e%2e%2fsecret.txt',
    'http://secret.txt',
    'file:///secret.txt',
    '*',
    '../secret.txt',
    String.raw`\secret.txt`,
  ])('does not serve files outside the folder at %s', async (target) => {
    const { port, errors } = await servePages();
    for (const headers of [{}, html]) {
      const { status, text } = await sendRaw(port, target, headers);
      expect(status === 200 ? text : status).toBeOneOf([index, 400, 404]);
    }
    expect(errors).toEqual([]);
  });

  it('does not serve files outside the folder at their absolute path', async () => {
    const folder = folderOf(built);
    const { port } = await servePages(folder);
    const secret = join(dirname(folder.directory), 'secret.txt');
    for (const target of [secret, `/${secret}`, `/%2f${secret.slice(1)}`, `http://portal/${secret}`])
      expect((await sendRaw(port, target)).status).toBe(404);
  });

  it('does not follow a link to a file outside the folder', async () => {
    const folder = folderOf(built);
    folder.link('link.txt', '../secret.txt');
    const { request } = await servePages(folder);
    expectNoSuchRoute(await request('/link.txt', html));
  });

  it('does not follow a link to a folder outside the folder', async () => {
    const folder = folderOf(built);
    folder.link('linked', '..');
    const { request } = await servePages(folder);
    expectNoSuchRoute(await request('/linked/secret.txt', html));
  });

  it('does not follow a link that replaces a compressed variant', async () => {
    const folder = folderOf(built);
    folder.link('icon.svg.br', '../secret.txt');
    const { request } = await servePages(folder);
    const { status, text } = await request('/icon.svg', { 'accept-encoding': 'br' });
    expect([status, text]).toEqual([200, built['icon.svg']]);
  });

  it.each(['100%.txt', '%2e%2e%2fsecret.txt', 'two%20words.txt'])(
    'serves no file outside the folder through a file named %s',
    async (name) => {
      const { port, errors } = await servePages(folderOf({ ...built, [name]: 'percent' }));
      const { status, text } = await sendRaw(port, `/${name}`);
      expect([200, 404]).toContain(status);
      expect(text).not.toContain('hunter2');
      expect(errors).toEqual([]);
    },
  );

  it('serves no file outside the folder for random paths', async () => {
    const folder = folderOf({ ...built, '.env': 'hunter2' });
    folder.link('link.txt', '../secret.txt');
    folder.link('linked', '..');
    const { port, errors } = await servePages(folder);
    const contents = new Set(Object.values(built).map(String));
    const start = fc.constantFrom('/', '/', '//', 'http://portal/');
    const dots = ['.', '..', '...', '%2e', '%2E%2e', '%252e%252e', '%c0%ae', '..;'];
    const slashes = ['/', '//', '\\', '%2f', '%2F', '%5c', '%252f', '/./', '/../'];
    const names = [
      'secret.txt',
      'pages',
      'linked',
      'link.txt',
      '.env',
      'assets',
      'index.html',
      'app-5f3a.js',
      'icon.svg',
    ];
    const oddities = ['%00', '%', '%zz', '?', '~', 'C:', '*', '@', '%0d%0a', '%ff'];
    const target = fc
      .tuple(start, fc.array(fc.constantFrom(...dots, ...slashes, ...names, ...oddities), { maxLength: 8 }))
      .map(([first, rest]) => first + rest.join(''));
    const headers = fc.record({
      accept: fc.constantFrom(html.accept, '*/*'),
      'accept-encoding': fc.constantFrom('identity', 'br', 'gzip'),
    });
    await fc.assert(
      fc.asyncProperty(target, headers, async (path, wanted) => {
        const { status, text } = await sendRaw(port, path, wanted);
        expect([200, 400, 404]).toContain(status);
        expect(text).not.toContain('hunter2');
        if (status === 200) expect(contents).toContain(text);
        expect(errors.splice(0)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

const policy = (connect: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

describe('Content-Security-Policy of pages', () => {
  it.each(['/', '/account', '/index.html', '/icon.svg', '/assets/app-5f3a.js', '/config.json'])(
    'allows only resources of this origin in the Content-Security-Policy at %s',
    async (path) => {
      const { request } = await servePages();
      expect((await request(path, html)).headers).toMatchObject({
        'content-security-policy': policy("'self'"),
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
    },
  );

  it('allows connections only to the given origins', async () => {
    const connectTo = ['https://identity.example', 'https://api.example:8443'];
    const { request } = await servePages(folderOf(built), { connectTo });
    expect((await request('/', html)).headers['content-security-policy']).toBe(
      policy("'self' https://identity.example https://api.example:8443"),
    );
  });
});

describe('GET /config.json', () => {
  const config = { issuer: 'https://identity.example', clientId: 'portico-web', personas: null };

  it('returns the given configuration at /config.json', async () => {
    const { request } = await servePages(folderOf(built), { config });
    for (const headers of [{}, html]) {
      const response = await request('/config.json', headers);
      expect([response.status, response.json]).toEqual([200, config]);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  it('returns the given configuration instead of a file named config.json', async () => {
    const { request } = await servePages(folderOf({ ...built, 'config.json': '{"issuer":"https://else.example"}' }), {
      config,
    });
    expect((await request('/config.json')).json).toEqual(config);
  });
});

describe('pages directory', () => {
  it.each([{}, { 'assets/app-5f3a.js': app }, { 'assets/index.html': index }, { 'index.html/x': index }])(
    'throws for a pages directory without an index.html: %j',
    (files) => {
      const { directory } = folderOf(files);
      expect(() => createServer({}, { pages: { directory, config: {} } })).toThrow(
        new TypeError('The pages directory must contain an index.html; build the pages first.'),
      );
    },
  );

  it('throws for a pages directory larger than 256 MiB', () => {
    const folder = folderOf(built);
    folder.add('film.mp4', '');
    folder.resize('film.mp4', 256 * 1024 * 1024);
    expect(() => createServer({}, { pages: { directory: folder.directory, config: {} } })).toThrow(
      new TypeError('The pages directory must not exceed 256 MiB, because pages are served from memory.'),
    );
  });

  it('throws for a pages directory that does not exist', () => {
    const { directory } = folderOf({});
    expect(() => createServer({}, { pages: { directory: join(directory, 'nowhere'), config: {} } })).toThrow();
  });
});

describe('pages while the server drains', () => {
  it('refuses pages with 503 while draining', async () => {
    const { use, posted, clock } = searchFakes();
    const server = createServer(use, { pages: { directory: folderOf(built).directory, config: {} } });
    const port = await listening(server, pageResponses);
    const response = clientOf(port).search();
    await posted(2);
    const drained = drain(server);
    for (const path of ['/', '/account', '/assets/app-5f3a.js', '/config.json']) {
      const { status, headers, json } = await send(port, 'GET', path, { headers: html });
      expect([status, json]).toMatchObject([503, { code: 'overloaded' }]);
      expect(headers).toMatchObject({ 'cache-control': 'private, no-store', 'retry-after': '1', connection: 'close' });
    }
    clock.advance(10_000);
    expect((await response).status).toBe(200);
    await drained;
  });
});
