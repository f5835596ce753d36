import { kindOf } from './blocks.ts';
import { readPage } from './page.ts';
import { checkedPages } from './project.ts';

const runsOfTests = ['run', 'fresh', 'packed'] as const;

/** The shell blocks of one kind on a page, for the test that runs them. */
export interface ShellPage {
  readonly file: string;
  readonly runs: (typeof runsOfTests)[number];
  /** All blocks in order, each after a line with its number: `«12»`. It ends at the first failure, or with `«end»`. */
  readonly script: string;
  /** The documented output of blocks, by the line of the block, as a regular expression of the whole output. */
  readonly outputs: Readonly<Record<number, string>>;
  /** The files of the page, by name. */
  readonly saved: Readonly<Record<string, string>>;
}

interface Step {
  readonly line: number;
  readonly text: string;
  readonly output?: string;
}

export const shellPages = (root: string): readonly ShellPage[] =>
  checkedPages(root)
    .map((path) => readPage(root, path))
    .flatMap(({ path: file, blocks }) =>
      runsOfTests.flatMap((runs) => {
        const steps = blocks.flatMap((block, at): readonly Step[] => {
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
        return steps.length > 0 ? [{ file, runs, script: scriptOf(steps), outputs: outputsOf(steps), saved }] : [];
      }),
    );

const scriptOf = (steps: readonly Step[]): string =>
  `set -e -o pipefail\n${steps.map(({ line, text }) => `echo "«${line}»"\n${text}`).join('')}echo "«end»"\n`;

const outputsOf = (steps: readonly Step[]): Readonly<Record<number, string>> =>
  Object.fromEntries(
    steps.flatMap(({ line, output }) => (output === undefined ? [] : [[line, patternOf(output).source]])),
  );

/** Matches output in which `…` is any text. */
const patternOf = (output: string): RegExp =>
  new RegExp(
    `^${output
      .trimEnd()
      .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('…', '[^]*')}$`,
  );
