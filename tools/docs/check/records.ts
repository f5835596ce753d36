import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../project.ts';

const maxLines = 25;

const parts = ['Status', 'Context', 'Decision', 'Alternatives considered', 'Consequences'];

/** Checks that each decision record has its five parts in order, and at most 25 lines. */
export const checkRecords = (root: string): readonly Problem[] =>
  globSync('docs/decisions/*.md', { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const lines = text.trimEnd().split('\n').length;
    const found = Array.from(text.matchAll(/^\*\*([^*]+)\*\*:/gm), ([, part]) => part);
    return [
      ...(found.join() === parts.join() ? [] : [`the parts must be: ${parts.join(', ')}`]),
      ...(lines <= maxLines ? [] : [`${lines} lines: at most ${maxLines} are allowed`]),
    ].map((message) => ({ file, line: 1, message }));
  });
