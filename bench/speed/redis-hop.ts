import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@portico/core/system';
import { redisCallbackExchange } from '@portico/adapters-redis';
import { type CallbackExchange, memoryCallbackExchange } from '@portico/core';
import { startRedis } from '@portico/demo/cluster';
import type { Command } from '../command.ts';
import { quantile } from '../statistics.ts';

const rounds = 3000;
const warmUpRounds = 200;

const callback = JSON.stringify({
  message: { catalog: { providers: Array.from({ length: 20 }, (_, id) => ({ id })) } },
});

/** Milliseconds from the arrival of a callback at one instance to its delivery at the instance that started the search. */
const hop = async (owner: CallbackExchange, receiver: CallbackExchange): Promise<number> => {
  const transactionId = randomUUID();
  const delivered = Promise.withResolvers<void>();
  const expectation = { transactionId, legId: 'moa', deliver: () => delivered.resolve() };
  await owner.expect([expectation], 10_000);
  const startedAt = performance.now();
  const offered = receiver.offer(transactionId, callback);
  await delivered.promise;
  const elapsed = performance.now() - startedAt;
  await offered;
  return elapsed;
};

/**
 * Time of a callback that arrives at another instance than the one that started the search, through a real Redis on
 * loopback, compared with a callback at the same instance, with Redis and in memory. The three take turns. Run it on an
 * idle machine.
 */
export const redisHop: Command = async () => {
  const { port } = await startRedis();
  const exchange = () => redisCallbackExchange({ url: `redis://127.0.0.1:${port}`, clock: systemClock });
  const [one, other, memory] = [exchange(), exchange(), memoryCallbackExchange(systemClock)];
  while (one.degradedReason !== undefined || other.degradedReason !== undefined) await pause(10);
  await pause(100);
  const subjects = [
    { name: 'in memory, one instance', run: () => hop(memory, memory), times: [] as number[] },
    { name: 'Redis, same instance', run: () => hop(one, one), times: [] as number[] },
    { name: 'Redis, another instance', run: () => hop(one, other), times: [] as number[] },
  ];
  for (let round = 0; round < rounds + warmUpRounds; round++)
    for (const { run, times } of subjects) {
      const ms = await run();
      if (round >= warmUpRounds) times.push(ms);
    }
  for (const { name, times } of subjects) {
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    process.stdout.write(`${name.padEnd(28)} p50 ${p50.toFixed(3)} ms   p99 ${p99.toFixed(3)} ms\n`);
  }
  await Promise.all([one.close(), other.close()]);
  return true;
};
