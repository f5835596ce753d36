/**
 * Compares the speed of Portico and of other programs for the same work. Downstream, servers and load generator are
 * separate processes, programs take turns, and an unexpected response ends the run. Run it on an idle machine.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Command, log, positiveNumber } from '../command.ts';
import { plotOf, shownPlot, shownRecord } from '../records/plot.ts';
import type { SpeedRecord } from '../records/record.ts';
import { machine, writeRecord } from '../results.ts';
import { startGenerator } from './load/start-generator.ts';
import { measureAuthentication } from './rows/authentication.ts';
import { measureCorrelator } from './rows/correlator.ts';
import { measureManySellers } from './rows/many-sellers.ts';
import { measureMember } from './rows/member/member.ts';
import { measurePage } from './rows/member/member-page.ts';
import { comparisonTable, missedGoals } from './rows/row.ts';
import { measureOpenLoopSearch } from './rows/open-loop-search.ts';
import { measureSearch } from './rows/search.ts';

/** Replaces the record of docs/performance.md and its picture. */
const writePage = (record: SpeedRecord): void => {
  writeFileSync(shownRecord, `${JSON.stringify(record, undefined, 2)}\n`);
  writeFileSync(shownPlot, plotOf(record));
};

/** `[part of a title] [--rounds 5] [--seconds 3] [--docs]`. Missed goals are reported and do not fail the run. */
export const compare: Command = async (args, folder) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      docs: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
    },
  });
  const [filter = ''] = positionals;
  const [rounds, seconds] = [positiveNumber(values.rounds), positiveNumber(values.seconds)];
  const extent = { load: await startGenerator(), filter, rounds, seconds, folder };
  const rows = [
    ...(await measureMember(extent)),
    ...(await measurePage(extent)),
    ...(await measureSearch(extent)),
    ...(await measureOpenLoopSearch(extent)),
    ...(await measureManySellers(extent)),
    ...(await measureCorrelator(filter)),
    ...(await measureAuthentication(filter)),
  ];
  if (rows.length === 0)
    throw new Error(
      `"${filter}" is neither part of a row's title nor a benchmark of its own: see npm run bench -- --help.`,
    );
  const table = comparisonTable(rows);
  process.stdout.write(`\n${table}\nOn ${machine}.\n`);
  writeRecord('speed', { rounds, seconds, rows });
  if (values.docs) writePage({ at: new Date().toISOString(), machine, rows });
  for (const { title } of missedGoals(rows)) log(`MISSED: ${title}`);
  return true;
};
