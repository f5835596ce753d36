import { resolve } from 'node:path';
import { project } from './project.ts';

/** `main.ts [check | write] [folder]`. The folder is the project by default. */
const [task = 'check', folder = project] = process.argv.slice(2);
const root = resolve(folder);

/** Each task imports what it needs: the checks load the whole command. */
const tasks: Readonly<Record<string, () => Promise<number>>> = {
  check: async () => {
    const { check, lineOf } = await import('./check/project-check.ts');
    const { pages, problems } = await check(root);
    for (const problem of problems) console.error(lineOf(problem));
    if (problems.length === 0) console.log(`${pages.length} pages are valid.`);
    return problems.length > 0 ? 1 : 0;
  },
  write: async () => {
    const { write } = await import('./write.ts');
    for (const file of await write(root)) console.log(file);
    return 0;
  },
  'shell-blocks': async () => {
    const { shellPages } = await import('./shell-blocks.ts');
    console.log(JSON.stringify(shellPages(root)));
    return 0;
  },
};

// Exits explicitly: the metrics of Node's runtime keep timers running.
if (!Object.hasOwn(tasks, task)) {
  console.error(`Unknown task "${task}". Use one of ${Object.keys(tasks).join(', ')}.`);
  process.exit(2);
}
process.exit(await tasks[task]!());
