import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { markdownRules } from '../markdown-rules.ts';
import { slug } from '../../docs/slug.ts';
import { llmsTexts } from '../llms.ts';
import { hrefOf, project, sections, sourceOf } from '../pages.ts';
import { type RepositoryField, repositoryOf } from '../repository.ts';

interface Manifest {
  readonly version: string;
  readonly repository?: RepositoryField;
}

const { repository: field } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Manifest;
const { version } = JSON.parse(readFileSync(join(project, 'packages/core/package.json'), 'utf8')) as Manifest;
const repository = repositoryOf(field);

/** `DOCS_BASE=/0.1/` builds the site for a folder of the host, so that several versions are served side by side. */
const base = process.env['DOCS_BASE'] ?? '/';

/** `DOCS_VERSIONS=0.1,0.2` are the other versions, each in the folder of its name. */
const versions = (process.env['DOCS_VERSIONS'] ?? '').split(',').filter((name) => name !== '');

export default defineConfig({
  title: 'Portico',
  description: 'A backend for member portals, notification preferences and federated Beckn search',
  lang: 'en',
  base,
  srcDir: '.pages',
  outDir: '../../docs/dist',
  cacheDir: 'node_modules/.cache/vitepress',
  // Files without an extension; all links between pages are checked.
  ignoreDeadLinks: [/^\/deploy\//],
  metaChunk: true,
  // Nothing is loaded from another host.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  vite: { build: { chunkSizeWarningLimit: 5000 } },
  markdown: {
    anchor: { slugify: slug },
    config: markdownRules,
    // Their colours have enough contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        miniSearch: {
          searchOptions: {
            combineWith: 'AND',
            fuzzy: 0.2,
            prefix: true,
            boost: { title: 4, text: 2, titles: 1 },
            // Sent to the browser as text.
            boostDocument: (id: string) => (/\/(?:reference\/api|decisions)\//.test(id) ? 0.3 : 1),
          },
        },
      },
    },
    nav: [
      { text: 'Quick start', link: hrefOf('docs/quick-start.md') },
      { text: 'Reference', link: hrefOf('docs/reference/settings.md') },
      {
        text: version,
        items: [
          { text: 'Changes', link: hrefOf('docs/stability.md') },
          ...versions.map((name) => ({ text: name, link: `/${name}/`, target: '_self' })),
        ],
      },
    ],
    sidebar: sections.map(({ title, pages }) => ({
      text: title,
      // The single decisions are in the table of the page before them.
      items: pages
        .filter(({ path }) => !path.startsWith('docs/decisions/'))
        .map((page) => ({ text: page.title, link: hrefOf(page.path) })),
    })),
    outline: [2, 3],
    ...(repository && {
      socialLinks: [{ icon: 'git', link: repository.url }],
      editLink: {
        pattern: repository.editUrl(':path'),
        text: 'Edit this page',
      },
    }),
  },
  // The path of `editLink`. A function there would be sent to the browser as text.
  transformPageData: ({ filePath }) => ({ filePath: sourceOf(filePath) }),
  buildEnd: ({ outDir }) => {
    for (const [name, text] of Object.entries(llmsTexts(base))) writeFileSync(join(outDir, name), text);
  },
});
