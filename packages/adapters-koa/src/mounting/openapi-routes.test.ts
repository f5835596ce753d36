import { createHash } from 'node:crypto';
import type { ServerRole } from '../request/server-defaults.ts';
import { createServer as createHttpServer } from 'node:http';
import { createUseCases } from '@portico/core';
import { fakePorts, fakeRateLimiter } from '@portico/core/testing';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import type { RequestReport } from '../request/request-report.ts';
import { memberRoutes } from './member-routes.ts';
import { openApiDocument } from './openapi-document.ts';
import { openApiRoutes } from './openapi-routes.ts';
import { listening, send } from '../server/portal.test.support.ts';
import { searchFakes } from '../server/search.test.support.ts';
import { createServer, type ServerSettings } from '../server/server.ts';

const serving = async (settings: ServerSettings = {}) => {
  const port = await listening(createServer({ ...createUseCases(fakePorts()), ...searchFakes().use }, settings));
  return (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    send(port, method, path, { headers });
};

describe.each(['/openapi.json', '/docs'])('%s', (path) => {
  it('requires no token and supports revalidation with If-None-Match', async () => {
    const get = await serving();
    const { status, headers, text } = await get(path);
    expect([status, headers['cache-control']]).toEqual([200, 'public, no-cache']);
    expect(headers.etag).toMatch(/^"[\w-]{22}"$/);
    expect((await get(path)).text).toBe(text);
    const since = { 'if-modified-since': 'Sat, 01 Nov 2025 00:00:00 GMT' };
    const again = await get(path, { ...since, 'if-none-match': String(headers.etag) });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    expect((await get(path, { 'if-none-match': '"older"' })).status).toBe(200);
  });

  it('returns the headers of GET for HEAD', async () => {
    const get = await serving();
    const [{ headers }, head] = [await get(path), await get(path, {}, 'HEAD')];
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'etag'])
      expect([name, head.headers[name]]).toEqual([name, headers[name]]);
  });

  it('has a different entity tag for each version', async () => {
    const etags = await Promise.all(
      ['1.0.0', '1.0.1'].map(async (version) => (await (await serving({ version }))(path)).headers.etag),
    );
    expect(new Set(etags).size).toBe(2);
  });

  it('is not counted by the rate limit per client address', async () => {
    const addressLimiter = fakeRateLimiter({ requests: 0 });
    expect((await (await serving({ addressLimiter }))(path)).status).toBe(200);
    expect(addressLimiter.taken).toEqual([]);
  });

  it('is served without any use cases', async () => {
    const port = await listening(createServer({}));
    expect((await send(port, 'GET', path)).status).toBe(200);
  });

  it('reports its requests with the route', async () => {
    const reports: RequestReport[] = [];
    await (
      await serving({ onResponse: (report) => reports.push(report) })
    )(`${path}?x=1`);
    await expect.poll(() => reports).toMatchObject([{ method: 'GET', route: path, status: 200, outcome: 'sent' }]);
  });
});

describe('GET /openapi.json', () => {
  it('returns the document of this instance', async () => {
    const all = await (await serving({ version: '1.2.3' }))('/openapi.json');
    expect(all.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(all.json).toEqual(openApiDocument({ version: '1.2.3' }));
    for (const roles of [
      ['member'],
      ['search', 'callbacks'],
      ['callbacks'],
    ] as const satisfies readonly ServerRole[][]) {
      const { json } = await (await serving({ roles }))('/openapi.json');
      expect(json).toEqual(openApiDocument({ serves: [...roles, 'probes', 'document'] }));
    }
  });

  it('contains no route without its use cases', async () => {
    const port = await listening(createServer(searchFakes().use, { roles: ['member', 'search'] }));
    const { json } = await send(port, 'GET', '/openapi.json');
    expect(json).toEqual(openApiDocument({ serves: ['search', 'probes', 'document'] }));
  });

  it('GET /openapi.json can be mounted in another Koa app', async () => {
    const app = new Koa()
      .use(memberRoutes(createUseCases(fakePorts())))
      .use(openApiRoutes({ version: '9', serves: ['member', 'document'] }))
      .use((ctx) => {
        ctx.body = 'foreign';
      });
    const port = await listening(createHttpServer(app.callback()), { isForeign: ({ text }) => text === 'foreign' });
    const { json } = await send(port, 'GET', '/openapi.json');
    expect(json).toEqual(openApiDocument({ version: '9', serves: ['member', 'document'] }));
    expect((await send(port, 'GET', '/docs')).text).toContain('<h1>Portico 9: HTTP API</h1>');
    for (const path of ['/docs/', '/docs.html', '/openapi'])
      expect((await send(port, 'GET', path)).text).toBe('foreign');
  });
});

describe('GET /docs', () => {
  it('contains every operation and schema, and every link has a target', async () => {
    const { text } = await (await serving())('/docs');
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const wanted = [...text.matchAll(/ (?:href="#|aria-labelledby=")([^"]+)"/g)].map(([, id]) => id);
    expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
    const { paths, components } = openApiDocument();
    for (const item of Object.values(paths))
      for (const method of ['get', 'post', 'put', 'patch'] as const)
        if (item[method]) expect(ids).toContain(item[method].operationId);
    for (const name of Object.keys(components.schemas)) expect(ids).toContain(`schema-${name}`);
  });

  it('shows the examples of responses, and the statuses of errors in one line that opens to their codes', async () => {
    const { text } = await (await serving())('/docs');
    const [, coverage = ''] = /<article aria-labelledby="getCoverage">([^]*?)<\/article>/.exec(text) ?? [];
    expect(coverage).toContain('&quot;name&quot;: &quot;Sample Choice PPO 1500&quot;');
    expect(coverage).toContain('<details><summary>Errors: 400 401 403 404 429 500 502 503</summary>');
    expect(coverage).toContain('<code>upstream-failure</code>');
  });

  it('forbids scripts, external resources and framing', async () => {
    const { headers, text } = await (await serving())('/docs');
    expect(text).not.toMatch(/<(?:script|img|iframe|link|form|base|object|embed)\b| on\w+="| style="|javascript:/i);
    const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? '';
    expect(style).not.toMatch(/url\(|@import/);
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('escapes the version', async () => {
    const { text } = await (await serving({ version: `1<script>alert('"&')</script>` }))('/docs');
    expect(text).toContain('<h1>Portico 1&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt;: HTTP API</h1>');
  });

  it('contains curl examples', async () => {
    const { text } = await (await serving())('/docs');
    for (const line of [
      'curl &quot;$PORTICO/me/claims/CLM-1001-01&quot; \\\n  -H &quot;Authorization: Bearer $PORTICO_TOKEN&quot;',
      'curl -X PATCH &quot;$PORTICO/me/profile&quot; \\\n  -H &quot;Authorization: Bearer $PORTICO_TOKEN&quot; \\\n  -H &#39;Content-Type: application/merge-patch+json&#39;',
      '-N \\\n  -H &#39;Accept: text/event-stream&#39;',
      '-o document.pdf',
      '<pre><code>curl &quot;$PORTICO/livez&quot;</code></pre>',
    ])
      expect(text).toContain(line);
  });
});
