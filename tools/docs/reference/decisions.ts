import { readPage } from '../page.ts';
import { sitePages } from '../project.ts';
import { generated, table } from './tables.ts';

/** Returns the list of all decision records. */
export const decisionsPage = (root: string): string =>
  generated(
    'Decisions',
    'This page lists the decision records: status, context, decision, alternatives considered and consequences. Numbers are stable.',
    table(
      ['Number', 'Decision'],
      sitePages(root)
        .filter((path) => path.startsWith('docs/decisions/'))
        .map((path) => {
          const file = path.slice('docs/decisions/'.length);
          const title = readPage(root, path)
            .title.replace(/^\d+:\s*/, '')
            .replace(/^./, (letter) => letter.toUpperCase());
          return [file.slice(0, 4), `[${title}](../decisions/${file})`];
        }),
    ),
  );
