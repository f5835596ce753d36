import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docs, project } from './docs-command.ts';

/** The values of an attribute in a page of the site. */
const attributesIn = (html: string, name: string): readonly string[] =>
  Array.from(html.matchAll(new RegExp(` (?:${name})="([^"]*)"`, 'g')), ([, value = '']) =>
    decodeURIComponent(value.replaceAll('&amp;', '&')),
  );

interface Link {
  readonly target: string;
  /** A file of the site. */
  readonly file: string;
  readonly fragment: string;
}

/** The targets of a page's links. */
const linksIn = (page: string, html: string): readonly Link[] =>
  attributesIn(html, 'href|src')
    .filter((target) => !/^(?:https?|mailto):/.test(target))
    .map((target) => {
      const [path = '', fragment = ''] = target.split('#');
      return { target, file: path === '' ? page : posix.join(posix.dirname(page), path), fragment };
    });

describe('the site', () => {
  let folder: string;
  let files: readonly string[];
  let htmlOf: ReadonlyMap<string, string>;
  let idsOf: ReadonlyMap<string, ReadonlySet<string>>;
  let linksOf: ReadonlyMap<string, readonly Link[]>;

  /** Built from a copy, because `docs/dist` may be in use. */
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portico-site-'));
    cpSync(join(project, 'docs'), join(folder, 'docs'), { recursive: true, filter: (path) => !path.endsWith('dist') });
    for (const name of globSync('*.md', { cwd: project })) cpSync(join(project, name), join(folder, name));
    const { stdout, stderr } = await docs('build', folder);
    const site = join(folder, 'docs', 'dist');
    files = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(site, name)).isFile(),
    );
    const names = files.filter((name) => name.endsWith('.html'));
    expect(stdout, stderr).toBe(`docs/dist: ${names.length} pages.\n`);
    htmlOf = new Map(names.map((name) => [name, readFileSync(join(site, name), 'utf8')]));
    idsOf = new Map([...htmlOf].map(([name, html]) => [name, new Set(attributesIn(html, 'id'))]));
    linksOf = new Map([...htmlOf].map(([name, html]) => [name, linksIn(name, html)]));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('the site has a page for each page of the documentation, without broken links', () => {
    expect(htmlOf.size).toBe(globSync(['*.md', 'docs/**/*.md'], { cwd: folder }).length);
    const links = [...linksOf].flatMap(([page, links]) => links.map((link) => ({ page, ...link })));
    const broken = links.filter(({ file, fragment }) => {
      const isPlace = fragment === '' || idsOf.get(file)?.has(fragment) === true;
      return !files.includes(file) || !isPlace;
    });
    expect(broken).toEqual([]);
    expect(links.some(({ page, file, fragment }) => page !== file && fragment !== '')).toBe(true);
  });

  it('links every page to every other page', () => {
    for (const [page, links] of linksOf) {
      const found = new Set(links.map(({ file }) => file));
      expect([page, [...htmlOf.keys()].filter((name) => !found.has(name))]).toEqual([page, []]);
    }
  });

  it('links to pages and headings, and shows file names for targets that are only in the project', () => {
    expect(htmlOf.get('index.html')).toContain('<a href="member-api.html">Member API</a>');
    expect(htmlOf.get('preferences-journey.html')).toContain(
      '<a href="reference/cli.html#portico-journey">reference</a>',
    );
    expect(htmlOf.get('contributing.html')).toContain('<span class="file">examples/swap-adapter</span>');
  });

  it('allows only its inline style by hash, without scripts and external resources', () => {
    for (const html of htmlOf.values()) {
      const [, style = ''] = /<style>([^]*)<\/style>/.exec(html) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; form-action 'none'`;
      expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`);
      expect(html).not.toMatch(/<(?:script|iframe|link|form|base|object|embed)\b| style="/i);
    }
  });
});
