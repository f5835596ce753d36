import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hrefOf, outputOf, project, sections } from './pages.ts';

/** The documentation for language models (llmstxt.org): a list of all pages, and all of them in one file. */
export const llmsTexts = (base: string): Readonly<Record<string, string>> => {
  const listed = sections.filter(({ title }) => title !== 'Decisions');
  const list = listed.map(({ title, pages }) =>
    [`## ${title}`, '', ...pages.map(({ path, title }) => `- [${title}](${base}${hrefOf(path).slice(1)})`)].join('\n'),
  );
  const readme = readFileSync(join(project, 'README.md'), 'utf8');
  const summary = readme.split('\n\n').find((part) => /^[A-Z]/.test(part)) ?? '';
  const full = listed
    .flatMap(({ pages }) => pages)
    .filter(({ path }) => !path.startsWith('docs/reference/api/'))
    .map(({ path }) => `<!-- ${outputOf(path)} -->\n\n${readFileSync(join(project, path), 'utf8').trim()}`);
  return {
    'llms.txt': `# Portico\n\n> ${summary.replaceAll('\n', ' ')}\n\n${list.join('\n\n')}\n`,
    'llms-full.txt': `${full.join('\n\n')}\n`,
  };
};
