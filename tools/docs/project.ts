import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the whole project. The tests of the checks give another one, with a few pages in it. */
export const project = fileURLToPath(new URL('../../', import.meta.url));

/** Something that is not as it should be, and where. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

const found = (root: string, patterns: readonly string[]): readonly string[] =>
  globSync([...patterns], { cwd: root, exclude: ['docs/dist/**'] })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();

/** The pages of the site. */
export const sitePages = (root: string): readonly string[] => found(root, ['*.md', 'docs/**/*.md']);

/** Everything that is checked: the pages, and what packages and examples say of themselves. */
export const checkedPages = (root: string): readonly string[] =>
  found(root, ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md']);

export interface Section {
  readonly title: string;
  readonly pages: readonly string[];
}

export const navigationFile = 'docs/navigation.json';

/** The navigation in its order. A name with a star stands for all pages that are called so. */
export const navigation = (root: string): readonly Section[] =>
  (JSON.parse(readFileSync(join(root, navigationFile), 'utf8')) as readonly Section[]).map(({ title, pages }) => ({
    title,
    pages: pages.flatMap((page) => (page.includes('*') ? found(root, [page]) : [page])),
  }));

/** Where a link leads, by its path in the project; nothing when it leads out of it. */
export const resolve = (from: string, target: string): string | undefined => {
  const path = posix.normalize(posix.join(posix.dirname(from), decodeURIComponent(target)));
  return target.startsWith('/') || path === '..' || path.startsWith('../') ? undefined : path.replace(/\/$/, '');
};

export const isThere = (root: string, path: string): boolean => existsSync(join(root, path));
