import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf, type Child, processorTime, residentMemory, start } from './children.ts';
import type { PutLoad } from './load-child.ts';
import { startPortico } from './portico.ts';
import { median, quantile, type Row, type Tell } from './report.ts';
import { issueTokens } from './tokens.ts';

const contenders = {
  'Fastify + reply-from + jose': './contenders/fastify-reply-from.ts',
  'Koa + ky + jose': './contenders/koa-ky.ts',
  'node:http + undici, no check': './contenders/bare.ts',
} as const;

type Other = keyof typeof contenders;

interface Case {
  readonly title: string;
  readonly path: string;
  /** How many different ones, round and round. */
  readonly tokens: number;
  readonly connections: number;
  /** Who does the same, and how much of their throughput ours is to be. */
  readonly others: { readonly [Name in Other]?: number | undefined };
}

/** More than the cache of verified tokens holds. */
const coldTokens = 32_000;

const justAll = {
  'Fastify + reply-from + jose': undefined,
  'Koa + ky + jose': undefined,
  'node:http + undici, no check': undefined,
};

const cases: readonly Case[] = [
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
  { title: '1 kB of JSON, 1 connection', path: '/me/coverage', tokens: 1, connections: 1, others: justAll },
  { title: '1 kB of JSON, 1000 connections', path: '/me/coverage', tokens: 1000, connections: 1000, others: justAll },
  { title: '100 kB of JSON, 64 connections', path: '/me/accumulators', tokens: 64, connections: 64, others: justAll },
  { title: 'PDF of 2 MB, 16 connections', path: '/me/documents/pdf-2mb', tokens: 16, connections: 16, others: justAll },
];

const memoryTitle = 'memory over idle while 20 PDFs of 100 MB stream';

/** So long until a server is as fast as it gets. */
const warmUpSeconds = 3;

/** A round's time is cut into so many, in turn, so that a slow second of the machine hits all alike. */
const slices = 4;

export interface Extent {
  readonly rounds: number;
  readonly seconds: number;
  readonly folder: string;
}

/**
 * The member routes' cases whose title holds `wanted`. Each round has processes of its own: one process of a program is
 * faster than another of the same by some ten per cent, for as long as it lives.
 */
export const measureMember = async (load: PutLoad, wanted: string, extent: Extent, tell: Tell): Promise<Row[]> => {
  const chosen = cases.filter(({ title }) => title.includes(wanted));
  const wantsMemory = memoryTitle.includes(wanted);
  if (chosen.length === 0 && !wantsMemory) return [];
  const { folder } = extent;
  const tokens = join(folder, 'tokens.json');
  const count = Math.max(1000, ...chosen.map((one) => one.tokens));
  tell(`signing ${count} tokens`);
  const issued = await issueTokens(count);
  writeFileSync(tokens, JSON.stringify(issued.tokens));
  const downstream = await start('./downstream.ts', [issued.jwks]);
  const starting = starter(addressOf(downstream), folder);
  const rows: Row[] = [];
  for (const one of chosen) rows.push(...(await measureCase(one, { load, tokens, starting, extent, tell })));
  if (wantsMemory) rows.push(...(await measureMemory({ load, tokens, starting, tell })));
  await downstream.stop();
  return rows;
};

type Starting = (name: 'Portico' | Other) => Promise<Child>;

const starter =
  (downstream: string, folder: string): Starting =>
  (name) => {
    if (name !== 'Portico') return start(contenders[name], [`${downstream}/jwks`, downstream]);
    const services = ['eligibility', 'claims', 'documents', 'policy', 'notifications', 'consent'];
    return startPortico(
      {
        listen: { host: '127.0.0.1', port: 0 },
        identity: { issuer: 'https://bench.example', audience: ['portico'], jwksUrl: `${downstream}/jwks` },
        downstreams: Object.fromEntries(services.map((service) => [service, { url: downstream }])),
        // Counted as ever, but the load stands for many more members than it has tokens.
        limits: { memberRequests: { requests: 1_000_000_000, seconds: 60 } },
      },
      folder,
    );
  };

interface Measuring {
  readonly load: PutLoad;
  readonly tokens: string;
  readonly starting: Starting;
  readonly tell: Tell;
}

const measureCase = async (
  one: Case,
  { load, tokens, starting, extent: { rounds, seconds }, tell }: Measuring & { readonly extent: Extent },
): Promise<Row[]> => {
  const others = Object.keys(one.others) as Other[];
  const names: readonly ('Portico' | Other)[] = ['Portico', ...others];
  const put = (child: Child, duration: number) =>
    load({
      url: addressOf(child) + one.path,
      tokens,
      tokenCount: one.tokens,
      connections: one.connections,
      seconds: duration,
    });
  const rates = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    // Another order each time, because the first and the last of a round are not served alike.
    const order = names.map((_, nth) => names[(nth + round) % names.length]!);
    const children = new Map<'Portico' | Other, Child>();
    for (const name of order) children.set(name, await starting(name));
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
    for (const [name, { requests, took, busyMs, p99 }] of sums) {
      rates.get(name)!.push(requests / took);
      tell(
        `${one.title} | ${name} | ${(requests / took).toFixed(0)}/s | p99 ${p99.toFixed(1)} ms | busy ${(busyMs / took / 1000).toFixed(2)}`,
      );
    }
    for (const child of children.values()) await child.stop();
  }
  const own = rates.get('Portico')!;
  return others.map((name) => {
    const other = rates.get(name)!;
    const goal = one.others[name];
    return {
      title: one.title,
      unit: 'requests/s',
      own: median(own),
      other: { name, value: median(other), ratio: median(own.map((rate, nth) => rate / other[nth]!)) },
      ...(goal !== undefined && { goal: { ratio: goal } }),
      rounds: { own, other },
    };
  });
};

/** The most that is held beyond what an idle, warm server holds. Not measured where there is no `/proc`. */
const measureMemory = async ({ load, tokens, starting, tell }: Measuring): Promise<Row[]> => {
  const grown = async (name: 'Portico' | Other): Promise<number> => {
    const child = await starting(name);
    const put = (path: string, connections: number, seconds: number) =>
      load({ url: addressOf(child) + path, tokens, tokenCount: 20, connections, seconds });
    await put('/me/coverage', 16, 1);
    await put('/me/documents/pdf-2mb', 20, 0);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const idle = residentMemory(child.pid);
    let most = idle;
    const timer = setInterval(() => {
      most = Math.max(most, residentMemory(child.pid));
    }, 10);
    await put('/me/documents/pdf-100mb', 20, 0);
    await put('/me/documents/pdf-100mb', 20, 0);
    clearInterval(timer);
    await child.stop();
    tell(`${memoryTitle} | ${name} | ${((most - idle) / 1e6).toFixed(0)} MB over ${(idle / 1e6).toFixed(0)} MB`);
    return (most - idle) / 1e6;
  };
  if (Number.isNaN(residentMemory(process.pid))) {
    tell(`SKIPPED: ${memoryTitle}, because there is no /proc to read it from`);
    return [];
  }
  const own: number[] = [];
  const other: number[] = [];
  for (let round = 0; round < 3; round++) {
    own.push(await grown('Portico'));
    other.push(await grown('Fastify + reply-from + jose'));
  }
  return [
    {
      title: memoryTitle,
      unit: 'MB',
      own: quantile(own, 1),
      other: {
        name: 'Fastify + reply-from + jose',
        value: quantile(other, 1),
        ratio: quantile(own, 1) / quantile(other, 1),
      },
      goal: { atMost: 100 },
      rounds: { own, other },
    },
  ];
};
