import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRedis } from '@portico/demo/cluster';
import { reservePort } from '@portico/demo/ports';
import { request } from 'undici';
import { type Child, start, urlOf } from '../child-process.ts';
import { type Command, log } from '../command.ts';
import { startPortico } from '../portico.ts';
import { legSettings } from '../portico-settings.ts';
import { report, requirement } from '../requirements.ts';
import { median } from '../statistics.ts';
import { memberSettings } from './contenders/start-contender.ts';
import { issueTokens } from './load/access-tokens.ts';
import { processorTime } from './load/process-usage.ts';
import { startGenerator } from './load/start-generator.ts';
import { searchRequest } from './rows/search.ts';

const rounds = 5;
const seconds = 1;
const warmUpSeconds = 2;
const tokenCount = 12_000;
const searches = 200;

/** Starts processes that share a port. */
const startProcesses = async (count: number, settings: object, folder: string): Promise<readonly Child[]> => {
  const listen = { host: '127.0.0.1', port: await reservePort(), reusePort: true };
  const children: Child[] = [];
  for (let nth = 0; nth < count; nth++) {
    const own = join(folder, `process-${nth}`);
    mkdirSync(own, { recursive: true });
    children.push(await startPortico({ ...settings, listen }, own));
  }
  return children;
};

interface Round {
  /** Requests per second. */
  readonly rate: number;
  /** Requests per second of processor time of the busiest process: the rate if each process had a core. */
  readonly capacity: number;
}

/** Member requests, each with another token, on one process and on two, in turns. */
const measureMember = async (folder: string): Promise<readonly (readonly Round[])[]> => {
  const { jwks, tokens } = await issueTokens(tokenCount);
  const file = join(folder, 'tokens.json');
  writeFileSync(file, JSON.stringify(tokens));
  const downstream = await start(new URL('load/downstream.ts', import.meta.url), { args: [jwks] });
  const settings = memberSettings(urlOf(downstream));
  const groups = [await startProcesses(1, settings, folder), await startProcesses(2, settings, folder)];
  const load = await startGenerator();
  const put = async (children: readonly Child[], duration: number): Promise<Round> => {
    const before = children.map(({ pid }) => processorTime(pid));
    const url = `${urlOf(children[0]!)}/me/coverage`;
    const result = await load({ url, tokens: file, tokenCount, connections: 64, seconds: duration });
    const used = children.map(({ pid }, nth) => processorTime(pid) - before[nth]!);
    const capacity = (result.requests / Math.max(...used)) * 1000;
    log(
      `${children.length} | ${capacity.toFixed(0)}/s | processor time ${used.map((ms) => ms.toFixed(0)).join(' + ')} ms`,
    );
    return { rate: result.requests / result.seconds, capacity };
  };
  for (const children of groups) await put(children, warmUpSeconds * children.length);
  const measured: Round[][] = groups.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [nth, children] of groups.entries()) measured[nth]!.push(await put(children, seconds));
  for (const child of [...groups.flat(), downstream]) await child.stop();
  return measured;
};

/** Runs searches on two processes with Redis. Returns how many were complete, and the processor time of each process. */
const runSearches = async (folder: string) => {
  const { port: redisPort } = await startRedis();
  const sellers = await start(new URL('load/sellers.ts', import.meta.url));
  const gateway = `${urlOf(sellers)}/network/20`;
  const port = await reservePort();
  const listen = { host: '127.0.0.1', port, reusePort: true };
  const leg = legSettings(`http://127.0.0.1:${port}`, gateway);
  const settings = {
    listen,
    search: { legs: { moa: leg, mh: leg } },
    redis: { url: `redis://127.0.0.1:${redisPort}` },
  };
  const children = [await startPortico(settings, folder), await startPortico(settings, folder)];
  const before = children.map(({ pid }) => processorTime(pid));
  const { url, ...options } = searchRequest(children[0]!);
  const search = async (): Promise<boolean> => {
    const { body } = await request(url, options);
    const { moa, mh } = (await body.json()) as Readonly<Record<string, unknown>>;
    return moa !== null && mh !== null;
  };
  const complete = (await Promise.all(Array.from({ length: searches }, search))).filter(Boolean).length;
  const processorMs = children.map(({ pid }, nth) => processorTime(pid) - before[nth]!);
  for (const child of [...children, sellers]) await child.stop();
  return { complete, processorMs };
};

const row = (name: string, measured: readonly Round[]) => [
  name,
  median(measured.map(({ capacity }) => capacity)).toFixed(0),
  median(measured.map(({ rate }) => rate)).toFixed(0),
];

/**
 * Compares two processes that share a port with one, and runs searches on two with Redis. On two cores, the load generator and
 * the downstream service take a part of them; what counts is therefore the requests per processor time of the busiest process.
 */
export const processes: Command = async (_, folder) => {
  const [one = [], two = []] = await measureMember(folder);
  const search = await runSearches(folder);
  const ratio = median(one.map(({ capacity }, nth) => two[nth]!.capacity / capacity));
  const least = Math.min(...search.processorMs);
  return report('processes', {
    requirements: [
      requirement('two processes, relative to one', `${ratio.toFixed(2)} ×`, ratio > 1.1, 'above 1.1 ×'),
      requirement('complete searches', search.complete, search.complete === searches, searches),
      requirement('processor time of the idler process, ms', least.toFixed(0), least > 0, 'above 0'),
    ],
    table: [
      ['processes', 'requests/s, if each has a core', 'requests/s on this machine'],
      row('1', one),
      row('2', two),
    ],
    summary: `Each request with another token; medians of ${rounds} rounds.`,
    data: { one, two, ratio, search },
  });
};
