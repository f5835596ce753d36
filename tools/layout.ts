import { resolve } from 'node:path';
import { checkLayout } from './layout/check.ts';

/** `node tools/layout.ts`: checks the rules of docs/architecture.md (tools/layout/rules.ts) and fails for each violation. */
const problems = checkLayout(resolve(import.meta.dirname, '..'));
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
console.log(`Layout: ${problems.length} violations.`);
process.exit(problems.length > 0 ? 1 : 0);
