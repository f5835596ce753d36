import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type RedisCallbackExchange, redisCallbackExchange } from '@portico/adapters-redis';
import { createSearchUseCases, type LegOutcome, type SearchTransport, type SearchUseCases } from '@portico/core';
import { randomIds, systemClock } from '@portico/core/system';
import { aLeg, anOnSearch } from '@portico/core/testing';
import { okAsync } from 'neverthrow';
import { type Command, log, positiveNumber } from '../command.ts';
import { startRedis } from './redis-server.ts';
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
  await Promise.all(Array.from({ length: atOnce }, runSome));
  return { incomplete, times };
};

const until = async (isDone: () => boolean, withinMs: number): Promise<void> => {
  for (const end = performance.now() + withinMs; !isDone() && performance.now() < end;) await pause(20);
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
  const count = positiveNumber(values.searches);
  const { url, command } = await startRedis();
  const exchanges: readonly RedisCallbackExchange[] = Array.from({ length: instanceCount }, () =>
    redisCallbackExchange({ url, clock: systemClock, rememberMs, settlingMs: 0 }),
  );
  await until(() => exchanges.every(({ degradedReason }) => degradedReason === undefined), 10_000);
  const instances: SearchUseCases[] = [];
  const responses: string[] = [];
  const transport = sellers(instances, responses);
  const legs = [aLeg('mh', { callbacks: { count: sellerIds.length } })];
  for (const exchange of exchanges)
    instances.push(createSearchUseCases({ transport, exchange, clock: systemClock, ids: randomIds }, { legs }));
  const startedAt = performance.now();
  const { incomplete, times } = await runSearches(instances, count, positiveNumber(values['at-once']));
  const seconds = (performance.now() - startedAt) / 1000;
  const commands = /total_commands_processed:(\d+)/.exec(command('info', 'stats'))?.[1];
  await until(() => command('dbsize') === '0', 30_000 + rememberMs);
  const left = command('keys', '*').split('\n').filter(Boolean);
  const pending = exchanges.reduce((sum, exchange) => sum + exchange.pending, 0);
  await Promise.all(exchanges.map((exchange) => exchange.close()));
  return report('collecting', {
    requirements: [
      requirement('incomplete searches', incomplete.length),
      requirement('legs pending at the end', pending),
      requirement('keys left in Redis', left.length),
    ],
    table: [
      [
        'searches',
        'responses to callbacks',
        'p50',
        'p99',
        'searches per second',
        'Redis commands, with those of scripts',
      ],
      [
        count,
        byFrequency(responses),
        `${quantile(times, 0.5)} ms`,
        `${quantile(times, 0.99)} ms`,
        Math.round(count / seconds),
        String(commands),
      ],
    ],
    summary: 'Three instances in one process, one Redis, five sellers per search.',
    data: { incomplete: incomplete.slice(0, 20), left: left.slice(0, 20) },
  });
};
