import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { flakesOf, tableOf } from './flakes/report.ts';
import { defaultFolders, type Failure, runSuite, testFolders } from './flakes/run-suite.ts';

const failure = (more: Partial<Failure>): Failure => ({
  file: 'packages/core/src/a.test.ts',
  test: 'adds',
  load: 'idle',
  run: 1,
  message: 'expected 1 to be 2',
  log: 'a.log',
  ...more,
});

it('the report counts the failures of each test by load and keeps the seed of a property test', () => {
  const seeded = failure({ load: 'busy', run: 2, message: 'Property failed after 3 tests\n{ seed: -12, path: "0" }' });
  const flakes = flakesOf([failure({ test: 'subtracts' }), failure({}), seeded]);
  expect(flakes).toMatchObject([
    { test: 'adds', failed: { idle: 1, busy: 1 }, failures: [{ run: 1 }, { run: 2, seed: -12, log: 'a.log' }] },
    { test: 'subtracts', failed: { idle: 1, busy: 0 } },
  ]);
  expect(tableOf(flakes, { idle: 10, busy: 5 })).toBe(
    [
      'idle    busy    test',
      '1/10    1/5     packages/core/src/a.test.ts > adds',
      '                idle 1: expected 1 to be 2 (a.log)',
      '                busy 2, seed -12: Property failed after 3 tests (a.log)',
      '1/10    0/5     packages/core/src/a.test.ts > subtracts',
      '                idle 1: expected 1 to be 2 (a.log)',
    ].join('\n'),
  );
});

it('tools/flakes.ts runs by default what npm test runs', () => {
  expect(defaultFolders(resolve(import.meta.dirname, '..'))).toEqual(['.', 'e2e']);
});

it('a run covers every workspace that uses vitest, and reports failed tests, broken files and hanging runs', async () => {
  const root = mkdtempSync(join(tmpdir(), 'portico-flakes-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  symlinkSync(resolve(import.meta.dirname, '..', 'node_modules'), join(root, 'node_modules'));
  const workspace = (folder: string, script: string, file: string, text: string) => {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'package.json'), JSON.stringify({ type: 'module', scripts: { test: script } }));
    writeFileSync(join(root, folder, file), text);
  };
  const test = "import { expect, it } from 'vitest';\n";
  workspace('packages/bad', 'vitest run', 'bad.test.ts', `${test}it('adds', () => expect(1).toBe(2));\n`);
  workspace('packages/broken', 'vitest run', 'broken.test.ts', "throw new Error('broken');\n");
  workspace('packages/good', 'vitest run', 'good.test.ts', `${test}it('passes', () => {});\n`);
  workspace('packages/other', 'node --test', 'other.test.ts', "throw new Error('not run');\n");

  expect(testFolders(root)).toEqual(['packages/bad', 'packages/broken', 'packages/good']);
  const rootScripts = { 'test:packages': 'vitest run --root packages/bad' };
  writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: rootScripts }));
  const suite = { root, load: 'idle', run: 1, logs: root, concurrency: 2 } as const;
  const found = await runSuite({ ...suite, folders: ['.', 'packages/broken', 'packages/good'], limitMs: 250_000 });
  expect(found.toSorted((one, other) => one.file.localeCompare(other.file))).toMatchObject([
    {
      file: 'packages/bad/bad.test.ts',
      test: 'adds',
      message: expect.stringContaining('expected 1 to be 2') as string,
    },
    { file: 'packages/broken/broken.test.ts', test: '(the file failed)' },
  ]);

  workspace('packages/hangs', 'vitest run', 'hangs.test.ts', `${test}it('hangs', () => { for (;;); });\n`);
  expect(await runSuite({ ...suite, folders: ['packages/hangs'], limitMs: 60 })).toMatchObject([
    { file: 'packages/hangs', test: '(killed after 0.001 minutes)' },
  ]);
});
