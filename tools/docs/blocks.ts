import type { Block } from './page.ts';

/** The kind of a block, which determines how it is checked. */
export type Kind =
  | { readonly kind: 'plain' }
  /** The contents of a project file. */
  | { readonly kind: 'file'; readonly path: string }
  /** TypeScript that continues the previous block. */
  | { readonly kind: 'continued' }
  /** Saved under this name in the folder where the `sh fresh` or `sh packed` blocks of the page run. */
  | { readonly kind: 'saved'; readonly name: string }
  | { readonly kind: 'settings' }
  | { readonly kind: 'shell'; readonly runs: ShellKind }
  /** The output of the previous shell block. */
  | { readonly kind: 'output' }
  | { readonly kind: 'wrong'; readonly message: string };

/**
 * `run`: run against a running environment. `fresh`: run in an empty folder with the built packages. `ci`: commands in
 * a clone of the project, which must exist; CI itself runs `.ci/run`. `help`: examples of the help, which are tested
 * there. `packed`: run in a created project with the packed packages by `tools/packages/newcomer.ts`, because they start
 * several programs.
 */
const shellKinds = ['run', 'fresh', 'ci', 'help', 'packed'] as const;
type ShellKind = (typeof shellKinds)[number];

const shells = new Set(['sh', 'bash', 'shell', 'zsh', 'console']);
const isShellKind = (mark: string): mark is ShellKind => (shellKinds as readonly string[]).includes(mark);

export const isTypeScript = ({ language }: Block): boolean => language === 'ts' || language === 'tsx';

const wrong = (message: string): Kind => ({ kind: 'wrong', message });

export const kindOf = (block: Block): Kind => {
  const { language, marks } = block;
  const [mark, ...others] = marks;
  if (language === '') return wrong('the block has no language');
  if (others.length > 0) return wrong(`the block has more than one mark: ${marks.join(' ')}`);
  if (shells.has(language)) {
    if (mark !== undefined && isShellKind(mark)) return { kind: 'shell', runs: mark };
    return wrong(
      `this shell block is not tested: mark it with one of ${shellKinds.join(', ')}, or use the language text`,
    );
  }
  if (mark === undefined) return { kind: 'plain' };
  if (mark.includes('/')) return { kind: 'file', path: mark };
  const name = /^save=([\w.-]+)$/.exec(mark)?.[1];
  if (name !== undefined) return { kind: 'saved', name };
  if (mark === 'continued' && isTypeScript(block)) return { kind: 'continued' };
  if (mark === 'settings' && language === 'json') return { kind: 'settings' };
  if (mark === 'output' && language === 'text') return { kind: 'output' };
  return wrong(`unknown mark "${mark}" of a ${language} block`);
};
