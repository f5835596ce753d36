import { kindOf } from './blocks.ts';
import { readPage } from './page.ts';
import { checkedPages } from './project.ts';

/** The shell blocks of one kind on a page, for the test that runs them. */
export interface ShellPage {
  readonly file: string;
  readonly runs: 'run' | 'fresh';
  readonly steps: readonly { readonly line: number; readonly text: string; readonly output?: string }[];
  readonly saved: Readonly<Record<string, string>>;
}

export const shellPages = (root: string): readonly ShellPage[] =>
  checkedPages(root)
    .map((path) => readPage(root, path))
    .flatMap(({ path: file, blocks }) =>
      (['run', 'fresh'] as const).flatMap((runs) => {
        const steps = blocks.flatMap((block, at) => {
          const kind = kindOf(block);
          if (kind.kind !== 'shell' || kind.runs !== runs) return [];
          const next = blocks[at + 1];
          const output = next && kindOf(next).kind === 'output' ? { output: next.text } : {};
          return [{ line: block.line, text: block.text, ...output }];
        });
        const saved = Object.fromEntries(
          blocks.flatMap((block) => {
            const kind = kindOf(block);
            return kind.kind === 'saved' ? [[kind.name, block.text]] : [];
          }),
        );
        return steps.length > 0 ? [{ file, runs, steps, saved }] : [];
      }),
    );
