/**
 * What Portico costs, beside others at the same work: `npm run bench [part of a title]`. Downstream, servers and load
 * generator are processes of their own, rounds take turns, and an answer that is not the one that was wanted ends it all.
 * Run it on an idle machine. `--readme` writes the table into the README.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stopAll } from './children.ts';
import { measureCorrelator } from './correlator.ts';
import { startLoad } from './load-child.ts';
import { measureMember } from './member.ts';
import { missed, type Row, tableOf } from './report.ts';
import { measureSearch } from './search.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    readme: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
});
const [wanted = ''] = positionals;
const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
const extent = { rounds: Number(values.rounds), seconds: Number(values.seconds), folder };
const tell = (line: string) => process.stderr.write(`${line}\n`);
const machine = `${cpus().length} cores, Node ${process.versions.node}, ${process.platform}`;

const record = (rows: readonly Row[]): void => {
  const results = new URL('../results/', import.meta.url);
  mkdirSync(results, { recursive: true });
  const at = new Date().toISOString();
  writeFileSync(
    new URL(`${at.replaceAll(':', '-')}.json`, results),
    `${JSON.stringify({ at, machine, ...extent, folder: undefined, rows }, undefined, 2)}\n`,
  );
};

const writeReadme = (table: string): void => {
  const readme = new URL('../../README.md', import.meta.url);
  const text = readFileSync(readme, 'utf8');
  const generated = /(<!-- bench -->\n)[^]*(<!-- \/bench -->)/;
  if (!generated.test(text)) throw new Error('The README has no place for the table.');
  writeFileSync(readme, text.replace(generated, `$1\n${table}\nOn ${machine}.\n\n$2`));
};

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stopAll();
    process.exit(1);
  });

try {
  const load = await startLoad();
  const rows = [
    ...(await measureMember(load, wanted, extent, tell)),
    ...(await measureSearch(load, wanted, extent, tell)),
    ...(await measureCorrelator(wanted, tell)),
  ];
  if (rows.length === 0) throw new Error(`No measurement has "${wanted}" in its title.`);
  const table = tableOf(rows);
  process.stdout.write(`\n${table}\nOn ${machine}.\n`);
  record(rows);
  if (values.readme) writeReadme(table);
  for (const { title } of missed(rows)) tell(`MISSED: ${title}`);
} finally {
  stopAll();
  rmSync(folder, { recursive: true });
}
process.exit();
