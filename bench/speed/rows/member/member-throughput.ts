import { type Child, urlOf } from '../../../child-process.ts';
import { log } from '../../../command.ts';
import type { ContenderName, OtherName, StartContender } from '../../contenders/start-contender.ts';
import { processorTime } from '../../load/process-usage.ts';
import type { Extent } from '../extent.ts';
import type { Row } from '../../../records/record.ts';
import { comparedWith } from '../row.ts';

interface Case {
  readonly title: string;
  readonly path: string;
  /** Number of different tokens in the load. */
  readonly tokens: number;
  readonly connections: number;
  /** The programs to compare with, and the goal as a share of their throughput. */
  readonly others: { readonly [Name in OtherName]?: number | undefined };
}

/** More than the size of the cache of verified tokens. */
export const coldTokens = 32_000;

/** All programs, with a goal for one of them. */
const allWithGoal = (fastify?: number): Case['others'] => ({
  'Fastify + reply-from + jose': fastify,
  'Koa + ky + jose': undefined,
  'node:http + undici, no check': undefined,
});

export const throughputCases: readonly Case[] = [
  {
    title: '1 kB of JSON, warm tokens, 64 connections',
    path: '/me/coverage',
    tokens: 64,
    connections: 64,
    others: { 'Fastify + reply-from + jose': 1.5, 'Koa + ky + jose': 2.5, 'node:http + undici, no check': 0.7 },
  },
  {
    title: '1 kB of JSON, each request with another token',
    path: '/me/coverage',
    tokens: coldTokens,
    connections: 64,
    others: { 'Fastify + reply-from + jose': 1, 'Koa + ky + jose': undefined },
  },
  ...(
    [
      ['1 kB of JSON, 1 connection', '/me/coverage', 1, undefined],
      ['1 kB of JSON, 1000 connections', '/me/coverage', 1000, 1.3],
      ['100 kB of JSON, 64 connections', '/me/accumulators', 64, 0.9],
      ['PDF of 2 MB, 16 connections', '/me/documents/pdf-2mb', 16, 1],
    ] as const
  ).map(([title, path, connections, goal]) => ({
    title,
    path,
    tokens: connections,
    connections,
    others: allWithGoal(goal),
  })),
];

interface Measured {
  readonly perSecond: number;
  /** Of all threads of the program, for one request. */
  readonly processorUs: number;
}

/** Processor time varies much less than throughput when other processes use the same cores. */
const measures = [
  { suffix: '', unit: 'requests/s', of: ({ perSecond }: Measured) => perSecond, hasGoal: true },
  { suffix: ': processor time', unit: 'µs', of: ({ processorUs }: Measured) => processorUs, hasGoal: false },
] as const;

/** How long a server takes to reach its full speed. */
const warmUpSeconds = 3;

/** Programs take turns in slices of a round, so that a slow moment of the machine affects all of them. */
const slices = 4;

type Put = (child: Child, seconds: number) => ReturnType<Extent['load']>;

/**
 * Measures each program in one round. Each round starts new processes, because two processes of the same
 * program differ by some ten per cent. It also changes the order, because the first and the last program of a round are
 * scheduled differently.
 */
const measureRound = async (
  title: string,
  names: readonly ContenderName[],
  startContender: StartContender,
  put: Put,
  seconds: number,
): Promise<ReadonlyMap<ContenderName, Measured>> => {
  const children = new Map<ContenderName, Child>();
  for (const name of names) children.set(name, await startContender(name));
  for (const child of children.values()) await put(child, warmUpSeconds);
  const sums = new Map(names.map((name) => [name, { requests: 0, took: 0, busyMs: 0, p99: 0 }]));
  for (let slice = 0; slice < slices; slice++)
    for (const [name, child] of children) {
      const sum = sums.get(name)!;
      const before = processorTime(child.pid);
      const { requests, seconds: took, p99 } = await put(child, seconds / slices);
      sum.busyMs += processorTime(child.pid) - before;
      sum.requests += requests;
      sum.took += took;
      sum.p99 = Math.max(sum.p99, p99);
    }
  for (const child of children.values()) await child.stop();
  return new Map(
    [...sums].map(([name, { requests, took, busyMs, p99 }]) => {
      const measured = { perSecond: requests / took, processorUs: (busyMs * 1000) / requests };
      log(
        `${title} | ${name} | ${measured.perSecond.toFixed(0)}/s | p99 ${p99.toFixed(1)} ms | ${measured.processorUs.toFixed(0)} µs`,
      );
      return [name, measured];
    }),
  );
};

/** Requests per second of Portico and of the other programs, and their processor time. `tokens` is the file with the access tokens. */
export const measureThroughput = async (
  one: Case,
  tokens: string,
  startContender: StartContender,
  { load, rounds, seconds }: Extent,
): Promise<Row[]> => {
  const { title, path, tokens: tokenCount, connections } = one;
  const others = Object.keys(one.others) as OtherName[];
  const names: readonly ContenderName[] = ['Portico', ...others];
  const put: Put = (child, duration) =>
    load({ url: urlOf(child) + path, tokens, tokenCount, connections, seconds: duration });
  const measured: ReadonlyMap<ContenderName, Measured>[] = [];
  for (let round = 0; round < rounds; round++) {
    const order = names.map((_, nth) => names[(nth + round) % names.length]!);
    measured.push(await measureRound(title, order, startContender, put, seconds));
  }
  return measures.flatMap(({ suffix, unit, of, hasGoal }) => {
    const own = measured.map((round) => of(round.get('Portico')!));
    return others.map((name): Row => {
      const other = measured.map((round) => of(round.get(name)!));
      const goal = hasGoal ? one.others[name] : undefined;
      return {
        title: title + suffix,
        unit,
        ...comparedWith(name, own, other),
        ...(goal !== undefined && { goal: { ratio: goal } }),
      };
    });
  });
};
