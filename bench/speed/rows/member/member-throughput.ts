import { type Child, urlOf } from '../../../child-process.ts';
import { log } from '../../../command.ts';
import { median } from '../../../statistics.ts';
import type { ContenderName, OtherName, StartContender } from '../../contenders/start-contender.ts';
import { processorTime } from '../../load/process-usage.ts';
import type { Extent } from '../extent.ts';
import type { Row } from '../row.ts';

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

const allWithoutGoal = {
  'Fastify + reply-from + jose': undefined,
  'Koa + ky + jose': undefined,
  'node:http + undici, no check': undefined,
};

export const throughputCases: readonly Case[] = [
  {
    title: '1 kB of JSON, warm tokens, 64 connections',
    path: '/me/coverage',
    tokens: 64,
    connections: 64,
    others: { 'Fastify + reply-from + jose': 1.25, 'Koa + ky + jose': 2.5, 'node:http + undici, no check': 0.65 },
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
      ['1 kB of JSON, 1 connection', '/me/coverage', 1],
      ['1 kB of JSON, 1000 connections', '/me/coverage', 1000],
      ['100 kB of JSON, 64 connections', '/me/accumulators', 64],
      ['PDF of 2 MB, 16 connections', '/me/documents/pdf-2mb', 16],
    ] as const
  ).map(([title, path, connections]) => ({ title, path, tokens: connections, connections, others: allWithoutGoal })),
];

/** How long a server takes to reach its full speed. */
const warmUpSeconds = 3;

/** Programs take turns in slices of a round, so that a slow moment of the machine affects all of them. */
const slices = 4;

type Put = (child: Child, seconds: number) => ReturnType<Extent['load']>;

/**
 * Requests per second of each program in one round. Each round starts new processes, because two processes of the same
 * program differ by some ten per cent. It also changes the order, because the first and the last program of a round are
 * scheduled differently.
 */
const measureRound = async (
  title: string,
  names: readonly ContenderName[],
  startContender: StartContender,
  put: Put,
  seconds: number,
): Promise<ReadonlyMap<ContenderName, number>> => {
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
  for (const [name, { requests, took, busyMs, p99 }] of sums)
    log(
      `${title} | ${name} | ${(requests / took).toFixed(0)}/s | p99 ${p99.toFixed(1)} ms | busy ${(busyMs / took / 1000).toFixed(2)}`,
    );
  return new Map([...sums].map(([name, { requests, took }]) => [name, requests / took]));
};

/** Requests per second of Portico and of the other programs. `tokens` is the file with the access tokens. */
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
  const rates: ReadonlyMap<ContenderName, number>[] = [];
  for (let round = 0; round < rounds; round++) {
    const order = names.map((_, nth) => names[(nth + round) % names.length]!);
    rates.push(await measureRound(title, order, startContender, put, seconds));
  }
  const own = rates.map((rate) => rate.get('Portico')!);
  return others.map((name) => {
    const other = rates.map((rate) => rate.get(name)!);
    const goal = one.others[name];
    return {
      title,
      unit: 'requests/s',
      own: median(own),
      other: { name, value: median(other), ratio: median(own.map((rate, nth) => rate / other[nth]!)) },
      ...(goal !== undefined && { goal: { ratio: goal } }),
      rounds: { own, other },
    };
  });
};
