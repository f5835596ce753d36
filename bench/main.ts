/** Runs a benchmark: `npm run bench -- --help` lists them. Exits with 0 when every requirement was met. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopAll } from './child-process.ts';
import { type Command, log } from './command.ts';
import { compare } from './speed/compare.ts';

const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['soak', async () => (await import('./reliability/soak.ts')).soak],
  ['faults', async () => (await import('./reliability/fault-isolation.ts')).faultIsolation],
  ['collecting', async () => (await import('./reliability/collecting.ts')).collecting],
  ['redis-hop', async () => (await import('./speed/redis-hop.ts')).redisHop],
  ['declared-service', async () => (await import('./speed/declared-service.ts')).declaredService],
  ['processes', async () => (await import('./speed/processes.ts')).processes],
  ['compare', async () => (await import('./records/compare-records.ts')).compareRecords],
  ['plot', async () => (await import('./records/plot.ts')).plot],
  ['middleware', async () => (await import('./middleware/middleware-budget.ts')).middlewareBudget],
  ['versions', async () => (await import('./speed/versions.ts')).versions],
  ['pages', async () => (await import('./pages/pages.ts')).pagePaints],
  ['start-up', async () => (await import('./speed/start-up.ts')).startUp],
]);

const args = process.argv.slice(2);
const usage = `npm run bench -- [part of a row's title] [--rounds 5] [--seconds 3] [--docs]
  compares the speed of Portico and of other programs: all rows by default.

npm run bench -- <what>
  ${[...commands.keys()].join('\n  ')}
`;
const named = commands.get(args[0] ?? '');
const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));

const exit = (code: number): never => {
  stopAll();
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => exit(1));

if (args.includes('--help')) {
  process.stdout.write(usage);
  exit(0);
}
try {
  const passed = named ? await (await named())(args.slice(1), folder) : await compare(args, folder);
  exit(passed ? 0 : 1);
} catch (error) {
  log(String(error instanceof Error ? error.stack : error));
  exit(1);
}
