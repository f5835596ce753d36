import { readPage } from '../page.ts';
import { sitePages } from '../project.ts';
import { generated, table } from './tables.ts';

/** Why things are as they are: every decision with its title. */
export const decisionsPage = (root: string): string =>
  generated(
    'Decisions',
    'Each says what was decided and why, in a page or less. They are written down when somebody would otherwise ask.',
    table(
      ['number', 'decision'],
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
