import { statSync } from 'node:fs';
import { join } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownRenderer } from 'vitepress';
import { resolve } from '../docs/project.ts';
import { hrefOf, isPage, project, sourceOf } from './pages.ts';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** Renders pages as on the code host: marks of code blocks, diagrams, and links to files of the project. */
export const markdownRules = (markdown: MarkdownRenderer): void => {
  markdown.core.ruler.push('portico', ({ tokens, env }: { tokens: Token[]; env: { relativePath?: string } }) => {
    const page = sourceOf(env.relativePath ?? '');
    for (const token of tokens) {
      if (token.type === 'fence') token.info = infoOf(token.info);
      relink(token.children ?? [], page);
    }
  });
  const { rules } = markdown.renderer;
  const fence = rules.fence;
  rules.fence = (tokens, at, ...others) => {
    const { info, content } = tokens[at] ?? { info: '', content: '' };
    return info === 'mermaid' ? diagram(content) : fence(tokens, at, ...others);
  };
  // Wide tables scroll separately, also by keyboard.
  rules.table_open = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n';
  rules.table_close = () => '</table></div>\n';
};

/** The language, and the name of the file if the block is one. The other marks are for the checks. */
const infoOf = (info: string): string => {
  const [language = '', mark = ''] = info.trim().split(/\s+/);
  const name = mark.startsWith('save=') ? mark.slice('save='.length) : mark.includes('/') ? mark : '';
  return name === '' ? language : `${language} [${name}]`;
};

/** An SVG that follows the colours of the page, and its source for those who do not see it. */
const diagram = (source: string): string => {
  const svg = renderMermaidSVG(source, { bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)' })
    // Its style is in the style sheet of the site. It would load a font from another host.
    .replace(/<style>.*?<\/style>/s, '')
    .replace('<svg ', '<svg aria-hidden="true" ');
  const text = source.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<div class="diagram" v-pre>${svg}<details><summary>Diagram as text</summary><pre tabindex="0">${text}</pre></details></div>\n`;
};

/** Points links and images to the site. A link whose target is only in the project becomes a file name. */
const relink = (children: readonly Token[], page: string): void => {
  let isName = false;
  for (const token of children) {
    if (token.type === 'image') token.attrSet('src', targetOf(page, token.attrGet('src') ?? '')?.href ?? '');
    if (token.type === 'link_open') {
      const target = targetOf(page, token.attrGet('href') ?? '');
      isName = target === undefined;
      if (!target) [token.tag, token.attrs] = ['span', [['class', 'file']]];
      else {
        token.attrSet('href', target.href);
        // VitePress would take it for a page.
        if (target.isFile) token.attrSet('target', '_self');
      }
    }
    if (token.type === 'link_close' && isName) token.tag = 'span';
  }
};

interface Target {
  readonly href: string;
  readonly isFile: boolean;
}

/** What a link of a page points to on the site; undefined if the target is only in the project. */
const targetOf = (page: string, url: string): Target | undefined => {
  if (/^(?:[a-z]+:|#)/i.test(url)) return { href: url, isFile: false };
  const [path = '', ...fragment] = url.split('#');
  const file = resolve(page, path) ?? '';
  if (isPage(file)) return { href: [hrefOf(file), ...fragment].join('#'), isFile: false };
  if (file === 'docs/decisions') return { href: hrefOf('docs/reference/decisions.md'), isFile: false };
  const isFile = file.startsWith('docs/') && statSync(join(project, file), { throwIfNoEntry: false })?.isFile();
  return isFile ? { href: hrefOf(file), isFile } : undefined;
};
