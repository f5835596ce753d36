import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { checkLanguage } from './language/findings.ts';

/**
 * `node tools/language.ts [path …]`: fails for each word of tools/language/words.ts and each sentence of more than 40
 * words in Markdown files and in the comments and strings of TypeScript files, and for each number that the API documentation of
 * a package states as a default. With paths, shows only findings there.
 */
const root = resolve(import.meta.dirname, '..');
const paths = process.argv.slice(2).map((path) => relative(root, resolve(path)));
const missing = paths.filter((path) => !existsSync(resolve(root, path)));
if (missing.length > 0) {
  console.error(`no such file or folder: ${missing.join(', ')}`);
  process.exit(2);
}

const shown = checkLanguage(root).filter(
  ({ file }) => paths.length === 0 || paths.some((path) => file.startsWith(path)),
);
for (const { file, line, message } of shown) console.error(`${file}:${line}: ${message}`);
console.log(`Language: ${shown.length} findings.`);
process.exit(shown.length > 0 ? 1 : 0);
