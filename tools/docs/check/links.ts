import type { Page } from '../page.ts';
import { isThere, navigation, navigationFile, type Problem, resolve, sitePages } from '../project.ts';

/** Every link leads somewhere that exists. Of the environment outside only the form of an address is looked at. */
export const checkLinks = (root: string, pages: readonly Page[]): readonly Problem[] => {
  const idsOf = new Map(pages.map(({ path, headings }) => [path, new Set(headings.map(({ id }) => id))]));

  const wrongWith = (from: string, target: string): string | undefined => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target))
      return /^(?:https?|mailto):/.test(target) && URL.canParse(target) ? undefined : `is no address: ${target}`;
    const [path = '', id] = target.split('#');
    const file = path === '' ? from : resolve(from, path);
    if (file === undefined) return `leads out of the project: ${target}`;
    if (!isThere(root, file)) return `leads nowhere: ${target}`;
    if (id === undefined) return undefined;
    const ids = idsOf.get(file);
    if (!ids) return `leads to a place in what is no page: ${target}`;
    return ids.has(decodeURIComponent(id)) ? undefined : `leads to no heading: ${target}`;
  };

  return pages.flatMap(({ path, links }) =>
    links.flatMap(({ target, line }) => {
      const what = wrongWith(path, target);
      return what === undefined ? [] : [{ file: path, line, what: `the link ${what}` }];
    }),
  );
};

/** Every page stands in the navigation once, and nothing else does. */
export const checkNavigation = (root: string): readonly Problem[] => {
  const named = navigation(root).flatMap(({ pages }) => pages);
  const there = sitePages(root);
  return [
    ...there
      .filter((page) => !named.includes(page))
      .map((file) => ({ file, line: 1, what: `the page is not in ${navigationFile}` })),
    ...named
      .filter((page, at) => !there.includes(page) || named.indexOf(page) !== at)
      .map((page) => ({ file: navigationFile, line: 1, what: `${page} is there twice, or is no page` })),
  ];
};
