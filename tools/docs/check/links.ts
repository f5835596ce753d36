import type { Page } from '../page.ts';
import { isThere, navigation, navigationFile, type Problem, resolve, sitePages } from '../project.ts';

/** Checks that the targets of links exist. Of external links, only the syntax is checked. */
export const checkLinks = (root: string, pages: readonly Page[]): readonly Problem[] => {
  const idsOf = new Map(pages.map(({ path, headings }) => [path, new Set(headings.map(({ id }) => id))]));

  const errorIn = (from: string, target: string): string | undefined => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target))
      return /^(?:https?|mailto):/.test(target) && URL.canParse(target) ? undefined : `is not a valid URL: ${target}`;
    const [path = '', id] = target.split('#');
    const file = path === '' ? from : resolve(from, path);
    if (file === undefined) return `points outside the project: ${target}`;
    if (!isThere(root, file)) return `is broken: ${target}`;
    if (id === undefined) return undefined;
    const ids = idsOf.get(file);
    if (!ids) return `has a fragment, but its target is not a page: ${target}`;
    return ids.has(decodeURIComponent(id)) ? undefined : `points to a missing heading: ${target}`;
  };

  return pages.flatMap(({ path, links }) =>
    links.flatMap(({ target, line }) => {
      const message = errorIn(path, target);
      return message === undefined ? [] : [{ file: path, line, message: `the link ${message}` }];
    }),
  );
};

/** Checks that the navigation contains every page exactly once and has no other entries. */
export const checkNavigation = (root: string): readonly Problem[] => {
  const named = navigation(root).flatMap(({ pages }) => pages);
  const there = sitePages(root);
  return [
    ...there
      .filter((page) => !named.includes(page))
      .map((file) => ({ file, line: 1, message: `the page is not in ${navigationFile}` })),
    ...named
      .filter((page, at) => !there.includes(page) || named.indexOf(page) !== at)
      .map((page) => ({ file: navigationFile, line: 1, message: `${page} is a duplicate or does not exist` })),
  ];
};
