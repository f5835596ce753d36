import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isThere, type Problem } from '../project.ts';
import { references } from '../reference/references.ts';

/** Checks that generated pages are up to date. */
export const checkReferences = async (root: string): Promise<readonly Problem[]> => {
  const problems: Problem[] = [];
  for (const [file, text] of Object.entries(await references(root))) {
    if (!isThere(root, file)) problems.push({ file, line: 1, message: 'is missing: run npm run docs -- write' });
    else {
      const line = firstDifference(readFileSync(join(root, file), 'utf8'), text);
      if (line !== undefined) problems.push({ file, line, message: 'is out of date: run npm run docs -- write' });
    }
  }
  return problems;
};

const firstDifference = (one: string, other: string): number | undefined => {
  if (one === other) return undefined;
  const lines = other.split('\n');
  const at = one.split('\n').findIndex((line, index) => line !== lines[index]);
  return (at === -1 ? one.split('\n').length : at) + 1;
};
