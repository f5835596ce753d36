import type { Token } from 'markdown-it';
import { markdown, type Page } from '../page.ts';

const { escapeHtml } = markdown.utils;

/** Renders a page as HTML, without its title. A link whose target is not on the site becomes a file name. */
export const contentOf = (page: Page, hrefOf: (target: string) => string | undefined): string => {
  for (const token of page.tokens) relink(token.children ?? [], hrefOf);
  return markdown.renderer.render(withoutTitle(page.tokens), markdown.options, {});
};

const withoutTitle = (tokens: Token[]): Token[] => {
  const end = tokens.findIndex(({ type, tag }) => type === 'heading_close' && tag === 'h1');
  return tokens.slice(end + 1);
};

const relink = (children: readonly Token[], hrefOf: (target: string) => string | undefined): void => {
  let isFile = false;
  for (const token of children) {
    for (const name of ['href', 'src']) {
      const target = token.attrGet(name);
      if (target === null) continue;
      const href = hrefOf(String(target));
      if (href !== undefined) token.attrSet(name, href);
      else if (token.type === 'link_open') {
        isFile = true;
        [token.tag, token.attrs] = ['span', [['class', 'file']]];
      }
    }
    if (token.type === 'link_close' && isFile) [token.tag, isFile] = ['span', false];
  }
};

const { rules } = markdown.renderer;

/** Wide tables scroll separately, also by keyboard. */
rules['table_open'] = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n';
rules['table_close'] = () => '</table></div>\n';

rules['fence'] = (tokens, at) => {
  const { info, content } = tokens[at] ?? { info: '', content: '' };
  const [language = '', mark = ''] = info.trim().split(/\s+/);
  const name = mark.startsWith('save=') ? mark.slice('save='.length) : mark.includes('/') ? mark : '';
  const caption = name === '' ? '' : `<figcaption>${escapeHtml(name)}</figcaption>`;
  const label = escapeHtml(name || `Code (${language})`);
  return `<figure>${caption}<pre tabindex="0" role="group" aria-label="${label}"><code>${escapeHtml(content)}</code></pre></figure>\n`;
};
