import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isTypeScript, kindOf } from '../blocks.ts';
import type { Block, Page } from '../page.ts';
import { type Problem, project } from '../project.ts';

/** A program of one block and the blocks that continue it, with the line on the page of each of its lines. */
interface Program {
  readonly page: string;
  /** Its path in the folder of the compiler. The saved files of a page are in one folder, so that they can import each other. */
  readonly path: string;
  readonly text: string[];
  readonly lines: number[];
}

/** Type-checks every TypeScript block strictly against the current packages. */
export const checkPrograms = (pages: readonly Page[]): readonly Problem[] => {
  const { programs, unattached } = programsIn(pages);
  return [...unattached, ...compile(programs)];
};

const programsIn = (pages: readonly Page[]) => {
  const programs: Program[] = [];
  const unattached: Problem[] = [];
  for (const [number, { path: page, blocks }] of pages.entries()) {
    let before: Program | undefined;
    for (const block of blocks.filter(isTypeScript)) {
      const kind = kindOf(block);
      // Blocks of project files are compiled with the project; wrong marks are reported by the check of the content.
      if (kind.kind === 'file' || kind.kind === 'wrong') continue;
      if (kind.kind !== 'continued') {
        const name = kind.kind === 'saved' ? kind.name : `line-${block.line}.${block.language}`;
        before = { page, path: `${number}/${name}`, text: [], lines: [] };
        programs.push(before);
      }
      if (before) append(before, block);
      else unattached.push({ file: page, line: block.line, message: 'no TypeScript block precedes it' });
    }
  }
  return { programs, unattached };
};

const append = ({ text, lines }: Program, block: Block): void => {
  for (const [at, line] of block.text.split('\n').entries()) {
    text.push(line);
    lines.push(block.line + 1 + at);
  }
};

const options = {
  module: 'nodenext',
  target: 'es2024',
  lib: ['es2024'],
  types: ['node'],
  jsx: 'react-jsx',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  customConditions: ['@portico/source'],
  noEmit: true,
};

/** Compiles in a folder of this project, so that the packages can be resolved. */
const compile = (programs: readonly Program[]): readonly Problem[] => {
  if (programs.length === 0) return [];
  // Not in docs/dist, which the build of the site empties.
  const parent = join(project, '.vitest');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'blocks-'));
  try {
    for (const { path, text } of programs) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      // A module, so that blocks can declare the same names.
      writeFileSync(join(folder, path), `${text.join('\n')}\nexport {};\n`);
    }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, include: ['**/*.ts', '**/*.tsx'] }),
    );
    return problemsIn(folder, programs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A compiler that fails without errors has not checked the programs; that is reported, too. */
const problemsIn = (folder: string, programs: readonly Program[]): readonly Problem[] => {
  const { status, stdout, stderr, error } = spawnSync(
    join(project, 'node_modules', '.bin', 'tsc'),
    ['--pretty', 'false', '-p', folder],
    { cwd: project, encoding: 'utf8' },
  );
  const errors = (stdout ?? '').split('\n').filter((line) => /\berror TS\d+:/.test(line));
  if (status === null || (status !== 0 && errors.length === 0))
    return [
      { file: 'tsc', line: 1, message: `did not compile the blocks: ${error?.message ?? (stdout + stderr).trim()}` },
    ];
  return inPrograms(errors, programs, relative(project, folder));
};

const inPrograms = (errors: readonly string[], programs: readonly Program[], folder: string): readonly Problem[] =>
  errors
    // Packages are compiled by `tsc -b`, each with its own `lib`.
    .filter((line) => !line.startsWith('packages/'))
    .map((line) => {
      const [, path = '', row = '1', message = line] = /^(.+?)\((\d+),\d+\): error (.+)$/.exec(line) ?? [];
      const program = programs.find((one) => one.path === relative(folder, path));
      return program
        ? { file: program.page, line: lineOn(program, Number(row)), message: `does not compile: ${message}` }
        : { file: path || 'tsc', line: Number(row), message };
    });

/** An error after the last line of a program is reported for its last line. */
const lineOn = ({ lines }: Program, row: number): number => lines[row - 1] ?? lines.at(-1) ?? 1;
