import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AllowedPhrase, checkLanguage } from './language/findings.ts';

/**
 * `node tools/language.ts [path …]`: fails for each word of tools/language/words.ts and each sentence of more than 40
 * words in Markdown files and in the comments and strings of TypeScript files. With paths, shows only findings there.
 * `allowed-phrases.json` tolerates at most ten phrases, each with its file and a reason.
 */
const root = resolve(import.meta.dirname, '..');
const allowedFile = 'tools/language/allowed-phrases.json';
const maxAllowed = 10;
const allowed = JSON.parse(readFileSync(resolve(root, allowedFile), 'utf8')) as readonly AllowedPhrase[];
const paths = process.argv.slice(2);

const { findings, unused } = checkLanguage(root, allowed);
const shown = findings.filter(({ file }) => paths.length === 0 || paths.some((path) => file.startsWith(path)));
for (const { file, line, message } of shown) console.error(`${file}:${line}: ${message}`);
for (const { phrase } of unused) console.error(`${allowedFile}: "${phrase}" has no finding: remove it from the list.`);
if (allowed.length > maxAllowed) console.error(`${allowedFile}: ${allowed.length} entries, at most ${maxAllowed}.`);
console.log(`Language: ${shown.length} findings, ${allowed.length} allowed phrases.`);
process.exit(shown.length > 0 || unused.length > 0 || allowed.length > maxAllowed ? 1 : 0);
