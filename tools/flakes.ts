import { mkdirSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withBusyCores } from './flakes/busy-cores.ts';
import { flakesOf, tableOf } from './flakes/report.ts';
import { defaultFolders, endChildren, type Failure, type Load, runSuite, testFolders } from './flakes/run-suite.ts';

const help = `Usage: node tools/flakes.ts [options] [folder...]

Runs the tests repeatedly, on an idle machine and with a busy loop on every core, and lists the tests that failed.
Folders default to those of "npm test" that use vitest: . (all packages, in one run) and e2e.
Needs built packages: run \`npm run build\` first.

  --idle <n>       runs without extra load (default 10)
  --busy <n>       runs with a busy loop on every core (default 5)
  --minutes <n>    limit for the tests of one folder in one run; they are killed after it (default 10)
  --concurrency <n>  folders tested at the same time (default 3)
  --json           print JSON instead of a table
  --help           show this help

Logs and reports are kept in .vitest/flakes until the next start. Exits with 1 if a test failed, 2 on invalid usage.
Example: node tools/flakes.ts --idle 3 --busy 2 packages/core`;

const root = resolve(import.meta.dirname, '..');

const options = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      idle: { type: 'string', default: '10' },
      busy: { type: 'string', default: '5' },
      minutes: { type: 'string', default: '10' },
      concurrency: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const count = (name: 'idle' | 'busy' | 'minutes' | 'concurrency', least: number): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < least) throw new Error(`--${name} must be an integer of at least ${least}`);
    return value;
  };
  const known = ['.', ...testFolders(root)];
  const unknown = positionals.filter((folder) => !known.includes(folder));
  if (unknown.length > 0) throw new Error(`unknown folder ${unknown.join(', ')}; expected ${known.join(', ')}`);
  return {
    runs: { idle: count('idle', 0), busy: count('busy', 0) } satisfies Record<Load, number>,
    limitMs: count('minutes', 1) * 60_000,
    concurrency: count('concurrency', 1),
    folders: positionals.length > 0 ? positionals : defaultFolders(root),
    isJson: values.json,
    isHelp: values.help,
  };
};

const main = async (): Promise<number> => {
  const { runs, limitMs, concurrency, folders, isJson, isHelp } = options();
  if (isHelp) {
    console.log(help);
    return 0;
  }
  const logs = join(root, '.vitest', 'flakes');
  rmSync(logs, { recursive: true, force: true });
  const failures: Failure[] = [];
  for (const load of ['idle', 'busy'] as const)
    for (let run = 1; run <= runs[load]; run++) {
      const folder = join(logs, `${load}-${run}`);
      mkdirSync(folder, { recursive: true });
      const suite = () => runSuite({ root, folders, load, run, logs: folder, limitMs, concurrency });
      const found = await (load === 'busy' ? withBusyCores(suite) : suite());
      failures.push(...found);
      console.error(`${load} run ${run} of ${runs[load]}: ${found.length} failed`);
    }
  const flakes = flakesOf(failures);
  console.log(isJson ? JSON.stringify({ runs, flakes }, undefined, 2) : tableOf(flakes, runs));
  return flakes.length > 0 ? 1 : 0;
};

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endChildren();
    process.exit(128 + constants.signals[signal]);
  });

try {
  process.exitCode = await main();
} catch (error) {
  endChildren();
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
