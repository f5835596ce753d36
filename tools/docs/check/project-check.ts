import { type Page, readPage } from '../page.ts';
import { checkedPages, type Problem } from '../project.ts';
import { checkPrograms } from './compile.ts';
import { checkContent } from './content.ts';
import { checkContract } from './contract.ts';
import { checkFacts } from './facts.ts';
import { checkFigures } from './figures.ts';
import { checkReferences } from './generated.ts';
import { checkLinks, checkNavigation } from './links.ts';
import { checkRecords } from './records.ts';
import { checkStatedValues } from './stated-values.ts';

/** Checks all pages of the project in a folder. */
export const check = async (
  root: string,
): Promise<{ readonly pages: readonly Page[]; readonly problems: readonly Problem[] }> => {
  const pages = checkedPages(root).map((path) => readPage(root, path));
  const problems = [
    ...checkLinks(root, pages),
    ...checkNavigation(root),
    ...checkRecords(root),
    ...checkFacts(root, checkedPages(root)),
    ...checkStatedValues(root),
    ...checkContract(root, checkedPages(root)),
    ...checkFigures(root),
    ...checkContent(root, pages),
    ...checkPrograms(pages),
    ...(await checkReferences(root)),
  ];
  return { pages, problems };
};

export const lineOf = ({ file, line, message }: Problem): string => `${file}:${line}: ${message}`;
