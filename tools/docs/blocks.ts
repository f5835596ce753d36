import type { Block } from './page.ts';

/** What a block says it is, and with it what holds it to that. */
export type Kind =
  | { readonly kind: 'plain' }
  /** The whole of a file of the project. */
  | { readonly kind: 'file'; readonly path: string }
  /** TypeScript behind that of the block before. */
  | { readonly kind: 'continued' }
  /** Put into the folder in which the page's `sh fresh` runs, under this name. */
  | { readonly kind: 'saved'; readonly name: string }
  | { readonly kind: 'settings' }
  | { readonly kind: 'shell'; readonly runs: ShellKind }
  /** What the shell block before prints. */
  | { readonly kind: 'said' }
  | { readonly kind: 'wrong'; readonly what: string };

/**
 * `run`: run against the sandbox. `fresh`: replayed in a folder of its own with the built packages.
 * `ci`: commands of a clone of the project, which must exist; CI itself runs `.ci/run`. `help`: examples of the help,
 * which are tested there.
 */
const shellKinds = ['run', 'fresh', 'ci', 'help'] as const;
type ShellKind = (typeof shellKinds)[number];

const shells = new Set(['sh', 'bash', 'shell', 'zsh', 'console']);
const isShellKind = (mark: string): mark is ShellKind => (shellKinds as readonly string[]).includes(mark);

export const isTypeScript = ({ language }: Block): boolean => language === 'ts' || language === 'tsx';

const wrong = (what: string): Kind => ({ kind: 'wrong', what });

export const kindOf = (block: Block): Kind => {
  const { language, marks } = block;
  const [mark, ...others] = marks;
  if (language === '') return wrong('the block names no language');
  if (others.length > 0) return wrong(`the block has more than one mark: ${marks.join(' ')}`);
  if (shells.has(language)) {
    if (mark !== undefined && isShellKind(mark)) return { kind: 'shell', runs: mark };
    return wrong(`nothing holds this shell block: mark it ${shellKinds.join(', ')}, or show it as text`);
  }
  if (mark === undefined) return { kind: 'plain' };
  if (mark.includes('/')) return { kind: 'file', path: mark };
  const name = /^save=([\w.-]+)$/.exec(mark)?.[1];
  if (name !== undefined) return { kind: 'saved', name };
  if (mark === 'continued' && isTypeScript(block)) return { kind: 'continued' };
  if (mark === 'settings' && language === 'json') return { kind: 'settings' };
  if (mark === 'said' && language === 'text') return { kind: 'said' };
  return wrong(`a block of ${language} has no mark "${mark}"`);
};
