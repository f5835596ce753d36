import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Child, start, urlOf } from '../child-process.ts';
import { type Command, log, positiveNumber } from '../command.ts';
import { commandOf, startPortico } from '../portico.ts';
import { machine, markdownTable, writeRecord } from '../results.ts';
import { intervalOfMedian, median } from '../statistics.ts';
import { memberSettings } from './contenders/start-contender.ts';
import { issueTokens } from './load/access-tokens.ts';
import { type Load, openLoad } from './load/load.ts';
import { processorTime } from './load/process-usage.ts';
import { coldTokens } from './rows/member/member-throughput.ts';
import { searchRequest, startTwoLegs } from './rows/search.ts';

const memberRows = [
  ['1 kB of JSON, warm tokens', '/me/coverage', 64],
  ['1 kB of JSON, each request with another token', '/me/coverage', coldTokens],
  ['1 kB of JSON, one claim', '/me/claims/coverage', 64],
  ['100 kB of JSON', '/me/accumulators', 64],
  ['PDF of 2 MB', '/me/documents/pdf-2mb', 16],
] as const;

/** A process of one version, and its load. */
interface Server {
  readonly child: Child;
  readonly load: Omit<Load, 'seconds'>;
}

interface ComparedRow {
  readonly title: string;
  /** Starts the version whose built command this is. */
  readonly serve: (command: URL) => Promise<Server>;
}

const rowsOf = async (filter: string, folder: string): Promise<readonly ComparedRow[]> => {
  const tokens = join(folder, 'tokens.json');
  const wanted = memberRows.filter(([title]) => title.includes(filter));
  const issued = await issueTokens(Math.max(0, ...wanted.map(([, , count]) => count)));
  writeFileSync(tokens, JSON.stringify(issued.tokens));
  const downstream = await start(new URL('load/downstream.ts', import.meta.url), { args: [issued.jwks] });
  const sellers = await start(new URL('load/sellers.ts', import.meta.url));

  const serveMember = (path: string, tokenCount: number) => async (command: URL) => {
    const child = await startPortico(memberSettings(urlOf(downstream)), folder, {}, command);
    return { child, load: { url: urlOf(child) + path, tokens, tokenCount, connections: Math.min(tokenCount, 64) } };
  };
  const serveSearch = async (command: URL) => {
    const child = await startTwoLegs((leg) => `${urlOf(sellers)}/${leg}/0`, folder, command);
    return { child, load: { ...searchRequest(child), connections: 64 } };
  };
  const search = { title: 'searches over two legs', serve: serveSearch };
  return [
    ...wanted.map(([title, path, count]) => ({ title, serve: serveMember(path, count) })),
    ...(search.title.includes(filter) ? [search] : []),
  ];
};

interface Pair {
  /** Microseconds of processor time per request. */
  readonly own: number;
  readonly other: number;
}

interface Slices {
  readonly pairs: number;
  /** Duration of a slice. */
  readonly seconds: number;
}

/** Seconds of load on each version before the first pair. */
const warmUpSeconds = 5;

/** Calls both in random order. */
const both = async <T>(own: () => Promise<T>, other: () => Promise<T>): Promise<{ own: T; other: T }> => {
  if (Math.random() < 0.5) return { own: await own(), other: await other() };
  const first = await other();
  return { own: await own(), other: first };
};

/** Starts one process of each version. Slices of load take turns, so that both versions meet the same machine. */
const measureProcesses = async (
  { serve }: ComparedRow,
  commands: Readonly<Record<'own' | 'other', URL>>,
  { pairs, seconds }: Slices,
): Promise<readonly Pair[]> => {
  const servers = await both(
    () => serve(commands.own),
    () => serve(commands.other),
  );
  const loads = { own: await openLoad(servers.own.load), other: await openLoad(servers.other.load) };
  const cost = async (version: 'own' | 'other'): Promise<number> => {
    const { pid } = servers[version].child;
    const before = processorTime(pid);
    const { requests } = await loads[version].send(seconds);
    return ((processorTime(pid) - before) * 1000) / requests;
  };
  const measured: Pair[] = [];
  for (let nth = -Math.ceil(warmUpSeconds / seconds); nth < pairs; nth++) {
    const pair = await both(
      () => cost('own'),
      () => cost('other'),
    );
    if (nth >= 0) measured.push(pair);
  }
  for (const { close } of Object.values(loads)) close();
  for (const { child } of Object.values(servers)) await child.stop();
  return measured;
};

/** One row: the median of all pairs' ratios with its 95 % interval, and the median costs. */
const summaryOf = (title: string, processes: readonly (readonly Pair[])[]) => {
  const all = processes.flat();
  const ratios = processes.map((pairs) => pairs.map(({ own, other }) => own / other));
  return {
    title,
    own: median(all.map(({ own }) => own)),
    other: median(all.map(({ other }) => other)),
    ratio: median(ratios.flat()),
    interval: intervalOfMedian(ratios),
    processes,
  };
};

type Summary = ReturnType<typeof summaryOf>;

const tableOf = (summaries: readonly Summary[]): string =>
  markdownTable(
    ['processor time per request', 'this version', 'the other', 'ratio', '95 % interval'],
    summaries.map(({ title, own, other, ratio, interval }) => [
      title,
      `${own.toFixed(1)} µs`,
      `${other.toFixed(1)} µs`,
      `**${ratio.toFixed(3)}**`,
      interval.map((bound) => bound.toFixed(3)).join(' to '),
    ]),
  );

const commandIn = (folder: string): URL => commandOf(pathToFileURL(`${resolve(folder)}/`));

/** The most that a version may cost, as a share of the other one. */
const maxRatio = 1.05;

/**
 * Processor time per request of this checkout beside that of another one. Arguments: the folder of the other checkout, built,
 * and a part of a title; `--own` is a folder to measure instead of this one. Other work on the machine affects both alike.
 */
export const versions: Command = async (args, folder) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      own: { type: 'string', default: '.' },
      processes: { type: 'string', default: '5' },
      pairs: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '0.1' },
    },
  });
  const [otherFolder, filter = ''] = positionals;
  if (otherFolder === undefined) throw new Error('The first argument must be the folder of another built checkout.');
  if (Number.isNaN(processorTime(process.pid))) throw new Error('This comparison needs /proc.');
  const commands = { own: commandIn(values.own), other: commandIn(otherFolder) };
  const [pairs, seconds] = [positiveNumber(values.pairs), positiveNumber(values.seconds)];
  const rows = await rowsOf(filter, folder);
  if (rows.length === 0) throw new Error(`"${filter}" must be part of a row's title.`);
  const summaries: Summary[] = [];
  for (const row of rows) {
    const processes: (readonly Pair[])[] = [];
    while (processes.length < positiveNumber(values.processes)) {
      processes.push(await measureProcesses(row, commands, { pairs, seconds }));
      log(`${row.title} | ${summaryOf('', processes.slice(-1)).ratio.toFixed(3)}`);
    }
    summaries.push(summaryOf(row.title, processes));
  }
  process.stdout.write(`\n${tableOf(summaries)}\nOn ${machine}.\n`);
  writeRecord('versions', { rows: summaries });
  return summaries.every(({ ratio }) => ratio <= maxRatio);
};
