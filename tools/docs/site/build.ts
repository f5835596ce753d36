import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { layout, type Neighbour } from './template.ts';
import { type Page, readPage } from '../page.ts';
import { navigation, resolve } from '../project.ts';
import { contentOf } from './render.ts';

/** Writes the site to docs/dist: an HTML file for each page, and referenced files. Returns the number of pages. */
export const build = (root: string): number => {
  const folder = join(root, 'docs', 'dist');
  rmSync(folder, { recursive: true, force: true });
  const sections = navigation(root);
  const pages = new Map(sections.flatMap(({ pages }) => pages).map((path) => [path, readPage(root, path)]));
  const order = [...pages.keys()];
  const neighbour = (from: string, at: number): Neighbour | undefined => {
    const page = pages.get(order[at] ?? '');
    return page && { href: hrefOf(from, page.path), title: page.title };
  };
  const referenced = new Set<string>();

  /** The URL of a link's target on the site; `undefined` if the target is only in the project. */
  const hrefOn = ({ path: from }: Page, target: string): string | undefined => {
    if (/^(?:[a-z]+:|#)/i.test(target)) return target;
    const [path = '', id] = target.split('#');
    const file = resolve(from, path) ?? '';
    const fragment = id === undefined ? '' : `#${id}`;
    if (pages.has(file)) return hrefOf(from, file) + fragment;
    if (file === 'docs/decisions') return hrefOf(from, 'docs/reference/decisions.md');
    if (!file.startsWith('docs/') || !statSync(join(root, file)).isFile()) return undefined;
    referenced.add(file);
    return hrefOf(from, file);
  };

  for (const [at, page] of [...pages.values()].entries()) {
    const { path } = page;
    const file = join(folder, outputOf(path));
    mkdirSync(dirname(file), { recursive: true });
    const html = layout({
      page,
      home: hrefOf(path, 'docs/index.md'),
      content: contentOf(page, (target) => hrefOn(page, target)),
      sections: sections.map(({ title, pages: named }) => ({
        title,
        pages: named.map((each) => ({
          href: hrefOf(path, each),
          title: pages.get(each)?.title ?? each,
          isCurrent: each === path,
        })),
      })),
      before: neighbour(path, at - 1),
      after: neighbour(path, at + 1),
    });
    writeFileSync(file, html);
  }
  for (const file of referenced) cpSync(join(root, file), join(folder, outputOf(file)));
  return pages.size;
};

/** `docs/how-to/nginx.md` is `how-to/nginx.html`, `README.md` is `readme.html`. */
const outputOf = (path: string): string => {
  const name = path.startsWith('docs/') ? path.slice('docs/'.length) : path.toLowerCase();
  return name.replace(/\.md$/, '.html');
};

/** Relative URLs, so that the site works in any folder and without a server. */
const hrefOf = (from: string, to: string): string => posix.relative(posix.dirname(outputOf(from)), outputOf(to));
