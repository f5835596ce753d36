import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync('docs/how-to/jest.md', 'utf8');
const script = /"test": "(.*jest)"/.exec(page)?.[1];

/** The files that the how-to shows, by name. */
const files = Array.from(page.matchAll(/^```js save=(\S+)\n([^]*?)^```/gm), ([, name = '', text = '']) => ({
  name,
  text,
}));

/** Runs the files of the how-to about Jest: tests in TypeScript with a fake, and a contract suite. */
export const runSuiteInJest = async (
  project: string,
  run: (directory: string, command: string, ...rest: readonly string[]) => Promise<string>,
): Promise<void> => {
  if (script === undefined || files.length !== 4)
    throw new Error('The how-to has no script or not the files for Jest.');
  await run(project, 'npm', 'install', '--no-audit', '--no-fund', 'jest@30', '@jest/globals@30');
  const packageFile = join(project, 'package.json');
  const installed = JSON.parse(readFileSync(packageFile, 'utf8')) as object;
  writeFileSync(packageFile, JSON.stringify({ ...installed, type: 'module', scripts: { test: script } }));
  for (const { name, text } of files) writeFileSync(join(project, name), text);
  await run(project, 'npm', 'test');
};
