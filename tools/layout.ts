import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkLayout } from './layout/check.ts';
import { compare } from './layout/known.ts';

/**
 * `node tools/layout.ts`: checks the rules of docs/architecture.md (tools/layout/rules.ts) and fails for each violation.
 * Violations in tools/layout/known.json are tolerated, but must be removed from there once they are fixed.
 */
const root = resolve(import.meta.dirname, '..');
const knownFile = 'tools/layout/known.json';
const known = JSON.parse(readFileSync(resolve(root, knownFile), 'utf8')) as readonly string[];

const { unknown, fixed, tolerated } = compare(checkLayout(root), known);
for (const { file, line, message, key } of unknown) console.error(`${file}:${line}: ${message}\n    key: ${key}`);
for (const key of fixed) console.error(`${knownFile}: "${key}" is fixed: remove it from the list.`);
console.log(`Layout: ${unknown.length} new violations, ${tolerated.length} known ones.`);
process.exit(unknown.length + fixed.length > 0 ? 1 : 0);
