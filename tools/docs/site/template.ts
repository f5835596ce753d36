import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { markdown, type Page } from '../page.ts';

const { escapeHtml } = markdown.utils;

export interface Neighbour {
  readonly href: string;
  readonly title: string;
}

interface Layout {
  readonly page: Page;
  readonly home: string;
  readonly content: string;
  readonly sections: readonly {
    readonly title: string;
    readonly pages: readonly (Neighbour & { readonly isCurrent: boolean })[];
  }[];
  readonly before: Neighbour | undefined;
  readonly after: Neighbour | undefined;
}

const style = readFileSync(new URL('style.css', import.meta.url), 'utf8');

/** No scripts, forms or external resources. The inline style is allowed by its hash, so that pages also work as files. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The content precedes the navigation, for screen readers and small screens. */
export const layout = ({ page, home, content, sections, before, after }: Layout): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)}${page.title === 'Portico' ? '' : ' – Portico'}</title>
<style>${style}</style>
</head>
<body>
<header><a href="${home}">Portico</a><a href="#pages">All pages</a></header>
<main>
<h1>${escapeHtml(page.title)}</h1>
${contents(page)}<div class="text">
${content}</div>
<nav class="neighbours" aria-label="Previous and next page">${neighbour('Previous', before)}${neighbour('Next', after)}</nav>
</main>
<nav id="pages" aria-label="All pages">
${sections.map(section).join('\n')}
</nav>
</body>
</html>
`;

const contents = ({ headings }: Page): string => {
  const items = headings.filter(({ level }) => level === 2);
  if (items.length < 3) return '';
  const links = items.map(({ id, text }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><ul>${links.join('')}</ul></nav>\n`;
};

const neighbour = (which: string, to: Neighbour | undefined): string =>
  to === undefined ? '' : `<a href="${to.href}">${which}: ${escapeHtml(to.title)}</a>`;

/** Decisions are collapsed except on their pages. */
const section = ({ title, pages }: Layout['sections'][number]): string => {
  const links = pages.map(
    (page) =>
      `<li><a href="${page.href}"${page.isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a></li>`,
  );
  const isOpen = title !== 'Decisions' || pages.some(({ isCurrent }) => isCurrent);
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary><ul>${links.join('')}</ul></details>`;
};
