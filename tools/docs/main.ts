import { resolve } from 'node:path';
import { checkContent } from './check/content.ts';
import { checkLinks, checkNavigation } from './check/links.ts';
import { checkPrograms } from './check/compile.ts';
import { checkReferences } from './check/generated.ts';
import { readPage } from './page.ts';
import { checkedPages, project } from './project.ts';
import { shellPages } from './shell-blocks.ts';
import { write } from './write.ts';

/** `main.ts [check | write] [folder]`. The folder is the project; tests of the checks use another one. */
const [task = 'check', folder = project] = process.argv.slice(2);
const root = resolve(folder);

const check = async (): Promise<number> => {
  const pages = checkedPages(root).map((path) => readPage(root, path));
  const problems = [
    ...checkLinks(root, pages),
    ...checkNavigation(root),
    ...checkContent(root, pages),
    ...checkPrograms(pages),
    ...(await checkReferences(root)),
  ];
  for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
  if (problems.length === 0) console.log(`${pages.length} pages are valid.`);
  return problems.length > 0 ? 1 : 0;
};

const tasks: Readonly<Record<string, () => Promise<number>>> = {
  check,
  write: async () => {
    for (const file of await write(root)) console.log(file);
    return 0;
  },
  'shell-blocks': async () => {
    console.log(JSON.stringify(shellPages(root)));
    return 0;
  },
};

// Exits explicitly: the metrics of Node's runtime keep timers running.
process.exit((await tasks[task]?.()) ?? 2);
