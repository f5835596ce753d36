/**
 * Mutation testing of folders with Stryker, for example `node tools/mutation.ts packages/core identity search`. See
 * CONTRIBUTING.md. The folder `.` is the files directly in `src`, `contracts` all contract suites of the package.
 *
 * Each folder is tested twice: all mutants with the tests of the folder, then the remaining ones with all tests of the
 * package. Most mutants are killed in the first run, which is many times faster. `.mutation/results` has the reports.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Mutant, type MutantsOfFile, mutantsOf, undetected, withSecondRun } from './mutation/mutants.ts';
import { type Tests, testFiles } from './mutation/runner/test-files.ts';
import { tableOf } from './mutation/table.ts';

const root = resolve(import.meta.dirname, '..');
const tools = join(import.meta.dirname, 'mutation');
const stryker = join(tools, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const results = join(root, '.mutation/results');

const notMutated = ['!src/**/*.test.ts', '!src/**/*.test.support.ts', '!src/**/{*.,}fake.ts'];
const contractSuites = ['src/**/*.contract.ts', 'src/contract/**/*.ts'];

/** `.` is the files directly in `src`, `contracts` the contract suites, undefined everything else. */
const sourcesOf = (folder: string | undefined): readonly string[] => {
  if (folder === 'contracts') return [...contractSuites, ...notMutated];
  const sources = folder === '.' ? 'src/*.ts' : ['src', folder, '**/*.ts'].filter(Boolean).join('/');
  return [sources, ...notMutated, ...contractSuites.map((pattern) => `!${pattern}`)];
};

/** Runs Stryker in the folder of a package. It works in a copy, so the sources may be edited meanwhile. */
const mutate = (pack: string, name: string, mutated: readonly string[], tests: Tests): readonly MutantsOfFile[] => {
  const report = join(results, `${name}.json`);
  const settings = join(results, `${name}.settings.json`);
  writeFileSync(
    settings,
    JSON.stringify({
      testRunner: 'in-process',
      plugins: [join(tools, 'runner/runner.ts')],
      testRunnerNodeArgs: ['--conditions=@portico/source', `--import=${join(tools, 'runner/hooks.ts')}`],
      // Stryker rewrites a tsconfig file with the compiler API, which TypeScript 7 does not have.
      tsconfigFile: 'none.json',
      // Below the project, so that the copy finds its node_modules.
      tempDirName: `../../.mutation-${process.pid}`,
      ignorePatterns: ['tsconfig.json'],
      mutate: mutated,
      coverageAnalysis: 'perTest',
      ignoreStatic: process.env['MUTATION_STATIC'] === '0',
      concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 2),
      // Left-overs of failed tests slow a process down.
      maxTestRunnerReuse: 300,
      // A timeout counts as detected, so a busy machine must not cause one. The runner itself detects tests that hang.
      timeoutMS: 60_000,
      dryRunTimeoutMinutes: 30,
      reporters: ['json', 'progress-append-only'],
      jsonReporter: { fileName: report },
      warnings: { slow: false },
    }),
  );
  execFileSync(process.execPath, [stryker, 'run', settings], {
    cwd: join(root, pack),
    stdio: 'inherit',
    env: {
      ...process.env,
      MUTATION_NOCK: tests.nock ? '1' : '0',
      ...(tests.folder === undefined ? {} : { MUTATION_FOLDER: tests.folder }),
    },
  });
  return mutantsOf(readFileSync(report, 'utf8'));
};

const rangeOf = (file: string, { location: { start, end } }: Mutant) =>
  // Columns start at 1 in a report and at 0 in a range.
  `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;

const run = (pack: string, folder: string | undefined, name: string): readonly MutantsOfFile[] => {
  const own =
    folder === undefined || folder === 'contracts'
      ? []
      : [
          { folder, nock: false },
          { folder, nock: true },
        ];
  const whole = own.length > 0 && process.env['MUTATION_PACKAGE'] === '0' ? [] : [{ nock: false }, { nock: true }];
  const runs = [...own, ...whole].filter((tests: Tests) => testFiles(join(root, pack), tests).length > 0);
  let mutants: readonly MutantsOfFile[] | undefined;
  for (const [index, tests] of runs.entries()) {
    const mutated = mutants ? undetected(mutants).map(({ file, mutant }) => rangeOf(file, mutant)) : sourcesOf(folder);
    if (mutated.length === 0) break;
    const found = mutate(pack, `${name}-${index}`, mutated, tests);
    mutants = mutants ? withSecondRun(mutants, found) : found;
  }
  return mutants ?? [];
};

const [pack, ...folders] = process.argv.slice(2);
if (pack === undefined) {
  console.error('Usage: node tools/mutation.ts <package> [folder]...');
  process.exit(2);
}
mkdirSync(results, { recursive: true });
for (const folder of folders.length === 0 ? [undefined] : folders) {
  const suffix = folder === '.' ? 'src' : folder?.replaceAll('/', '-');
  const name = [basename(pack), suffix].filter(Boolean).join('-');
  const table = tableOf(run(pack, folder, name));
  console.log(table);
  writeFileSync(join(results, `${name}.md`), table);
}
