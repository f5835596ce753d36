import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. Tests of the checks use another one with a few pages. */
export const project = fileURLToPath(new URL('../../', import.meta.url));

/** An error in the documentation. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const found = (root: string, patterns: readonly string[]): readonly string[] =>
  globSync([...patterns], { cwd: root, exclude: ['docs/dist/**'] })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();

/** The pages of the site. */
export const sitePages = (root: string): readonly string[] => found(root, ['*.md', 'docs/**/*.md']);

/** All checked pages: those of the site and the READMEs of packages and examples. */
export const checkedPages = (root: string): readonly string[] =>
  found(root, ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md']);

export interface Section {
  readonly title: string;
  readonly pages: readonly string[];
}

export const navigationFile = 'docs/navigation.json';

/** The sections of the navigation, in order. A name with a star includes all matching pages. */
export const navigation = (root: string): readonly Section[] =>
  (JSON.parse(readFileSync(join(root, navigationFile), 'utf8')) as readonly Section[]).map(({ title, pages }) => ({
    title,
    pages: pages.flatMap((page) => (page.includes('*') ? found(root, [page]) : [page])),
  }));

/** The path in the project that a link points to; `undefined` if it is outside. */
export const resolve = (from: string, target: string): string | undefined => {
  const path = posix.normalize(posix.join(posix.dirname(from), decodeURIComponent(target)));
  return target.startsWith('/') || path === '..' || path.startsWith('../') ? undefined : path.replace(/\/$/, '');
};

export const isThere = (root: string, path: string): boolean => existsSync(join(root, path));
