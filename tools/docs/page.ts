import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { slug } from './slug.ts';

interface Heading {
  readonly id: string;
  readonly text: string;
}

interface Link {
  readonly target: string;
  readonly line: number;
}

/** A fenced block. Its marks follow the language: `sh run`, `ts examples/embed/src/main.ts`. */
export interface Block {
  readonly language: string;
  readonly marks: readonly string[];
  readonly text: string;
  /** The line of its opening fence; the text starts on the next line. */
  readonly line: number;
}

export interface Page {
  readonly path: string;
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly links: readonly Link[];
  readonly blocks: readonly Block[];
}

const markdown = new MarkdownIt({ html: true }).use(anchor, {
  slugify: slug,
  uniqueSlugStartIndex: 1,
  tabIndex: false,
});

export const readPage = (root: string, path: string): Page => {
  const tokens = markdown.parse(readFileSync(join(root, path), 'utf8'), {});
  const headings = tokens.flatMap((token, at) =>
    token.type === 'heading_open' ? [{ id: String(token.attrGet('id')), text: textOf(tokens[at + 1]) }] : [],
  );
  return { path, title: headings[0]?.text ?? path, headings, links: linksIn(tokens), blocks: blocksIn(tokens) };
};

const lineOf = ({ map }: Token): number => (map?.[0] ?? 0) + 1;

const textOf = (token: Token | undefined): string =>
  (token?.children ?? [])
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : ''))
    .join('');

/** In tables, inline elements have no line numbers: the line of the row is used. */
const linksIn = (tokens: readonly Token[]): readonly Link[] => {
  const links: Link[] = [];
  let line = 1;
  for (const token of tokens) {
    if (token.map) line = lineOf(token);
    let at = line;
    for (const child of token.children ?? []) {
      if (child.type === 'softbreak' || child.type === 'hardbreak') at++;
      const target = child.attrGet('href') ?? child.attrGet('src');
      if (target !== null) links.push({ target: String(target), line: at });
    }
  }
  return links;
};

const blocksIn = (tokens: readonly Token[]): readonly Block[] =>
  tokens
    .filter(({ type }) => type === 'fence')
    .map((token) => {
      const [language = '', ...marks] = token.info.trim().split(/\s+/);
      return { language, marks, text: token.content, line: lineOf(token) };
    });
