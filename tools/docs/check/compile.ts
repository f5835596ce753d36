import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isTypeScript, kindOf } from '../blocks.ts';
import type { Block, Page } from '../page.ts';
import { type Problem, project } from '../project.ts';

/** One program out of one block, or out of one and those that continue it. Each of its lines has a line on the page. */
interface Program {
  readonly page: string;
  readonly language: string;
  readonly text: string[];
  readonly lines: number[];
}

/** Every block of TypeScript compiles by itself, strictly, against the packages as they are. */
export const checkPrograms = (pages: readonly Page[]): readonly Problem[] => {
  const { programs, lost } = programsIn(pages);
  return [...lost, ...compile(programs)];
};

const programsIn = (pages: readonly Page[]) => {
  const programs: Program[] = [];
  const lost: Problem[] = [];
  for (const { path: page, blocks } of pages) {
    let before: Program | undefined;
    for (const block of blocks.filter(isTypeScript)) {
      const { kind } = kindOf(block);
      // What is a file of the project is compiled where it is; what is marked wrongly is told of elsewhere.
      if (kind === 'file' || kind === 'wrong') continue;
      if (kind !== 'continued') {
        before = { page, language: block.language, text: [], lines: [] };
        programs.push(before);
      }
      if (before) append(before, block);
      else lost.push({ file: page, line: block.line, what: 'no block of TypeScript stands before it' });
    }
  }
  return { programs, lost };
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

/** In a folder of this project, because that is where the packages are found from. */
const compile = (programs: readonly Program[]): readonly Problem[] => {
  if (programs.length === 0) return [];
  const parent = join(project, 'docs', 'dist');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'blocks-'));
  try {
    for (const [at, { language, text }] of programs.entries())
      // A module, so that names of one block are its own.
      writeFileSync(join(folder, `${at}.${language}`), `${text.join('\n')}\nexport {};\n`);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, include: ['*.ts', '*.tsx'] }),
    );
    return problemsIn(folder, programs);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** A compiler that ends badly and names no error has not looked at the programs: that is a problem, too. */
const problemsIn = (folder: string, programs: readonly Program[]): readonly Problem[] => {
  const { status, stdout, stderr, error } = spawnSync(
    join(project, 'node_modules', '.bin', 'tsc'),
    ['--pretty', 'false', '-p', folder],
    { cwd: project, encoding: 'utf8' },
  );
  const errors = (stdout ?? '').split('\n').filter((line) => /\berror TS\d+:/.test(line));
  if (status === null || (status !== 0 && errors.length === 0))
    return [
      { file: 'tsc', line: 1, what: `did not compile the blocks: ${error?.message ?? (stdout + stderr).trim()}` },
    ];
  return inPrograms(errors, programs, relative(project, folder));
};

const inPrograms = (errors: readonly string[], programs: readonly Program[], folder: string): readonly Problem[] =>
  errors
    // Packages are compiled by `tsc -b`, each with the library that it is for.
    .filter((line) => !line.startsWith('packages/'))
    .map((line) => {
      const [, path = '', row = '1', what = line] = /^(.+?)\((\d+),\d+\): error (.+)$/.exec(line) ?? [];
      const at = /^(\d+)\.tsx?$/.exec(relative(folder, path))?.[1];
      const program = at === undefined ? undefined : programs[Number(at)];
      return program
        ? { file: program.page, line: lineOn(program, Number(row)), what: `does not compile: ${what}` }
        : { file: path || 'tsc', line: Number(row), what };
    });

/** What is open at the end of a block is told of behind its last line. */
const lineOn = ({ lines }: Program, row: number): number => lines[row - 1] ?? lines.at(-1) ?? 1;
