import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { navigation, project } from '../docs/project.ts';

export { project };

export interface Page {
  /** In the project. */
  readonly path: string;
  readonly title: string;
}

const titleOf = (path: string): string =>
  (/^# (.*)$/m.exec(readFileSync(join(project, path), 'utf8'))?.[1] ?? path).replaceAll('`', '');

/** The sections of the navigation with their pages. */
export const sections: readonly { readonly title: string; readonly pages: readonly Page[] }[] = navigation(project).map(
  ({ title, pages }) => ({ title, pages: pages.map((path) => ({ path, title: titleOf(path) })) }),
);

/** `docs/how-to/nginx.md` is `how-to/nginx.md` on the site, `README.md` is `readme.md`. */
export const outputOf = (path: string): string =>
  path.startsWith('docs/') ? path.slice('docs/'.length) : path.toLowerCase();

const sources = new Map(sections.flatMap(({ pages }) => pages).map(({ path }) => [outputOf(path), path]));

/** The path in the project of a page of the site. */
export const sourceOf = (output: string): string => sources.get(output) ?? output;

export const isPage = (path: string): boolean => sources.get(outputOf(path)) === path;

/** The URL of a page or a file on the site, without its base. */
export const hrefOf = (path: string): string => `/${outputOf(path).replace(/(?:index)?\.md$/, '')}`;
