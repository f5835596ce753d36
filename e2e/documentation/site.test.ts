import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { extname, join, posix } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, closeBrowser, expectAccessible, openBrowser } from '../browser/browser.ts';
import { project } from '../project-file.ts';

/** Built by `node tools/site/build.ts`. */
const site = join(project, 'docs', 'dist');

const files = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
  statSync(join(site, name)).isFile(),
);
const htmlOf = new Map(
  files.filter((name) => name.endsWith('.html')).map((name) => [name, readFileSync(join(site, name), 'utf8')]),
);

const attributesIn = (html: string, name: string): readonly string[] =>
  Array.from(html.matchAll(new RegExp(` (?:${name})="([^"]*)"`, 'g')), ([, value = '']) =>
    decodeURIComponent(value.replaceAll('&amp;', '&')),
  );

/** The file that a path of the site leads to, as a server of static files finds it. */
const fileAt = (path: string): string | undefined => {
  const name = path.replace(/^\//, '');
  return [name, `${name}.html`, posix.join(name, 'index.html')].find((file) => files.includes(file));
};

describe('the documentation site', () => {
  it('has a page for each page of the documentation', () => {
    const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: project, exclude: ['docs/dist/**'] });
    expect(htmlOf.size).toBe(pages.length + 1);
  });

  it('has no broken links', () => {
    const idsOf = new Map([...htmlOf].map(([page, html]) => [page, new Set(attributesIn(html, 'id'))]));
    const links = [...htmlOf].flatMap(([page, html]) =>
      attributesIn(html, 'href|src')
        .filter((target) => !/^[a-z]+:/.test(target))
        .map((target) => {
          const [path = '', fragment = ''] = target.split('#');
          return {
            page,
            target,
            fragment,
            file: path === '' ? page : fileAt(posix.resolve('/', posix.dirname(page), path)),
          };
        }),
    );
    expect(links.some(({ page, file, fragment }) => page !== file && fragment !== '')).toBe(true);
    const broken = links.filter(
      ({ file, fragment }) =>
        file === undefined || (fragment !== '' && file.endsWith('.html') && idsOf.get(file)?.has(fragment) !== true),
    );
    expect(broken).toEqual([]);
  });

  it('loads nothing from another host', () => {
    for (const [page, html] of htmlOf) {
      const loaded = [...html.matchAll(/<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)="(https?:[^"]*)"/g)];
      expect([page, loaded.map(([, url]) => url)]).toEqual([page, []]);
    }
    for (const name of files.filter((file) => file.endsWith('.css')))
      expect(readFileSync(join(site, name), 'utf8')).not.toMatch(/url\(["']?https?:/);
  });

  it('shows each diagram as a picture and as text', () => {
    const html = htmlOf.get('architecture.html')!;
    expect(html).toMatch(/<div class="diagram"><svg /);
    expect(html).toContain('<summary>Diagram as text</summary>');
    expect([...htmlOf.values()].join('')).not.toContain('language-mermaid');
  });

  it('lists its pages for language models, and has them in one file', () => {
    const pages = [...htmlOf.keys()].filter((name) => !/^(?:404|reference\/decisions|decisions\/.*)\.html$/.test(name));
    const list = readFileSync(join(site, 'llms.txt'), 'utf8');
    const listed = Array.from(list.matchAll(/\]\((\/[^)]*)\)/g), ([, path = '']) => fileAt(path));
    expect(new Set(listed)).toEqual(new Set(pages));
    expect(list).toContain('[Troubleshooting]');
    const text = readFileSync(join(site, 'llms-full.txt'), 'utf8');
    const contained = Array.from(text.matchAll(/^<!-- (\S+)\.md -->$/gm), ([, page = '']) => `${page}.html`);
    expect(new Set(contained)).toEqual(new Set(pages.filter((name) => !name.startsWith('reference/api/'))));
    expect(text).toContain('# Troubleshooting\n');
  });
});

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

describe.skipIf(browserPath === undefined)('the documentation site in a browser', () => {
  const server = createServer((request, response) => {
    const file = fileAt(new URL(request.url ?? '/', 'http://site').pathname);
    if (file === undefined) return void response.writeHead(404).end();
    response.setHeader('Content-Type', types[extname(file)] ?? 'text/plain');
    response.end(readFileSync(join(site, file)));
  });
  let browser: Browser;
  let page: Page;
  let url: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await openBrowser();
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  });
  afterAll(async () => {
    if (browser) await closeBrowser(browser);
    server.close();
    server.closeAllConnections();
  });

  it('finds pages by what users look for', async () => {
    await page.goto(url);
    await page.locator('.VPNavBarSearch button').click();
    const found: [query: string, links: readonly string[]][] = [];
    for (const query of [
      'timeout',
      'rate limit',
      '401',
      'Keycloak audience',
      'collect callbacks',
      'redact',
      'shutdown',
    ]) {
      // Empty first: the results of the query before stay until those of the next one.
      await page.locator('#localsearch-input').fill('');
      await expect.poll(() => page.locator('#localsearch-list a.result').count()).toBe(0);
      await page.locator('#localsearch-input').fill(query);
      await expect.poll(() => page.locator('#localsearch-list a.result').count()).toBeGreaterThan(0);
      await expect.poll(() => page.locator('#localsearch-list mark').count()).toBeGreaterThan(0);
      const links = await page
        .locator('#localsearch-list a.result')
        .evaluateAll((results) => results.map((result) => result.getAttribute('href') ?? ''));
      found.push([query, links]);
    }
    expect(found.map(([query, links]) => [query, links.length > 0])).toEqual(found.map(([query]) => [query, true]));
    expect(new Map(found).get('Keycloak audience')?.slice(0, 5).join(' ')).toContain('keycloak');
    expect(new Map(found).get('rate limit')?.slice(0, 5).join(' ')).toContain('rate-limits');
  });

  it('can be read without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const reader = await context.newPage();
    await reader.goto(`${url}/how-to/keycloak`);
    expect(await reader.locator('main h1').textContent()).toContain('Keycloak');
    expect(await reader.locator('main pre code').first().isVisible()).toBe(true);
    await context.close();
  });

  it.each([
    '/',
    '/quick-start',
    '/architecture',
    '/contract',
    '/how-to/client',
    '/reference/settings',
    '/reference/api/client',
    '/performance',
    '/troubleshooting',
    '/web-pages',
  ])('%s has no axe violations, in light and dark, and fits into 360 pixels', async (path) => {
    await page.goto(url + path);
    await expectAccessible(page);
  });
});
