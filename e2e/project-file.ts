import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the whole project. */
export const project = fileURLToPath(new URL('../', import.meta.url));

/** The content of a file of the project. */
export const projectFile = (path: string): string => readFileSync(`${project}${path}`, 'utf8');

/** The first block of this language and these marks on a page. */
export const blockOf = (page: string, language: string): string => {
  const [, block] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'm').exec(projectFile(page)) ?? [];
  if (block === undefined) throw new Error(`${page} has no block of ${language}.`);
  return block;
};
