import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { redisCallbackExchange } from '@portico/adapters-redis';
import { createSearchUseCases, type LegOutcome, type SearchTransport, type SearchUseCases } from '@portico/core';
import { randomIds, systemClock } from '@portico/core/system';
import { aLeg, anOnSearch } from '@portico/core/testing';
import { startRedis } from '@portico/demo/cluster';
import { okAsync } from 'neverthrow';
import { type Command, log, positiveNumber } from '../command.ts';
import { report, requirement } from '../requirements.ts';
import { byFrequency, quantile } from '../statistics.ts';

const instanceCount = 3;
const sellerIds = Array.from({ length: 5 }, (_, nth) => `bpp-${nth}.example`);
const rememberMs = 5000;

const catalog = { providers: Array.from({ length: 20 }, (_, id) => ({ id })) };

const anyOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!;

/** Five sellers that send their callbacks to any instance, one in ten twice, and again when they are refused. */
const sellers = (instances: readonly SearchUseCases[], responses: string[]): SearchTransport => {
  const send = async (text: string): Promise<void> => {
    await pause(Math.random() * 20);
    const outcome = await anyOf(instances).receiveCallback({ text });
    responses.push(outcome.isOk() ? outcome.value : outcome.error.kind);
    if (outcome.isErr()) await send(text);
  };
  return {
    post: (_, { context }) => {
      for (const sellerId of sellerIds) {
        const { text } = anOnSearch(context.transaction_id, { sellerId, catalog });
        void send(text);
        if (Math.random() < 0.1) void send(text);
      }
      return okAsync({ outcome: 'ack' });
    },
  };
};

/** Whether a leg has exactly one callback of each seller. */
const isComplete = (leg: LegOutcome): boolean =>
  'callback' in leg &&
  leg.sellers?.length === sellerIds.length &&
  new Set(leg.sellers.map(({ sellerId }) => sellerId)).size === sellerIds.length;

const runSearches = async (instances: readonly SearchUseCases[], count: number, atOnce: number) => {
  const [incomplete, times]: [string[], number[]] = [[], []];
  let started = 0;
  const runSome = async (): Promise<void> => {
    while (started++ < count) {
      const found = await anyOf(instances).search({ persona: 'member', query: 'health', user_id: 'bench' });
      const response = found.isOk() ? await found.value.response : undefined;
      const [leg] = response?.legs ?? [];
      if (leg && isComplete(leg)) times.push(leg.elapsedMs);
      else incomplete.push(leg ? JSON.stringify({ ...leg, leg: leg.leg.id }) : 'refused');
      if (times.length % 5000 === 0) log(`${times.length} searches`);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, runSome));
  return { incomplete, times, perSecond: Math.round((count * 1000) / (performance.now() - startedAt)) };
};

/**
 * Searches with five sellers each, whose callbacks arrive at any of three instances that share one Redis. Required: each
 * search gets one callback of each seller, and nothing is left in Redis or in the instances.
 * `--searches` (20,000), `--at-once` (100).
 */
export const collecting: Command = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: { searches: { type: 'string', default: '20000' }, 'at-once': { type: 'string', default: '100' } },
  });
  const [count, atOnce] = [positiveNumber(values.searches), positiveNumber(values['at-once'])];
  const { port } = await startRedis();
  const redis = (...command: readonly string[]): string =>
    spawnSync('redis-cli', ['-p', String(port), ...command], { encoding: 'utf8' }).stdout.trim();
  const settings = { url: `redis://127.0.0.1:${port}`, clock: systemClock, rememberMs, settlingMs: 0 };
  const exchanges = Array.from({ length: instanceCount }, () => redisCallbackExchange(settings));
  while (exchanges.some(({ degradedReason }) => degradedReason !== undefined)) await pause(20);
  const [instances, responses]: [SearchUseCases[], string[]] = [[], []];
  const ports = { transport: sellers(instances, responses), clock: systemClock, ids: randomIds };
  const legs = [aLeg('mh', { callbacks: { count: sellerIds.length } })];
  for (const exchange of exchanges) instances.push(createSearchUseCases({ ...ports, exchange }, { legs }));
  const { incomplete, times, perSecond } = await runSearches(instances, count, atOnce);
  const [, commands = ''] = /total_commands_processed:(\d+)/.exec(redis('info', 'stats')) ?? [];
  const forgottenAt = performance.now() + rememberMs + 30_000;
  while (redis('dbsize') !== '0' && performance.now() < forgottenAt) await pause(20);
  const left = redis('keys', '*').split('\n').filter(Boolean);
  const pending = exchanges.reduce((sum, exchange) => sum + exchange.pending, 0);
  await Promise.all(exchanges.map((exchange) => exchange.close()));
  const figures = {
    searches: count,
    'responses to callbacks': byFrequency(responses),
    p50: `${quantile(times, 0.5)} ms`,
    p99: `${quantile(times, 0.99)} ms`,
    'searches per second': perSecond,
    'Redis commands, with those of scripts': commands,
  };
  return report('collecting', {
    requirements: [
      requirement('incomplete searches', incomplete.length),
      requirement('legs pending at the end', pending),
      requirement('keys left in Redis', left.length),
    ],
    table: [Object.keys(figures), Object.values(figures)],
    summary: 'Three instances in one process, one Redis, five sellers per search.',
    data: { incomplete: incomplete.slice(0, 20), left: left.slice(0, 20) },
  });
};
