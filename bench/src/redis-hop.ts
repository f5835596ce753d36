/**
 * What it adds that a callback lands on another instance: from its arrival there to its delivery at its owner, through a
 * real Redis on loopback, beside a callback that lands where its search waits, with Redis and without. Medians and 99th
 * percentiles of 3,000 each, taking turns. Run it on an idle machine: `npm run bench:redis-hop`.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { systemClock } from '@portico/core/system';
import { redisCallbackExchange } from '@portico/adapters-redis';
import { type CallbackExchange, memoryCallbackExchange } from '@portico/core';
import { freePort } from './free-port.ts';

const rounds = 3000;

const port = await freePort();
const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
for await (const line of redis.stdout) if (String(line).includes('Ready to accept')) break;
redis.stdout.resume();

const callback = JSON.stringify({
  message: { catalog: { providers: Array.from({ length: 20 }, (_, id) => ({ id })) } },
});

/** Milliseconds from the offer at one exchange to the delivery at the other. */
const hop = async (owner: CallbackExchange, landed: CallbackExchange): Promise<number> => {
  const transactionId = randomUUID();
  const delivered = Promise.withResolvers<void>();
  const expectation = { transactionId, legId: 'moa', deliver: () => delivered.resolve() };
  await owner.expect([expectation], 10_000);
  const startedAt = performance.now();
  const offered = landed.offer(transactionId, callback);
  await delivered.promise;
  const elapsed = performance.now() - startedAt;
  await offered;
  return elapsed;
};

const url = `redis://127.0.0.1:${port}`;
const [one, other] = [
  redisCallbackExchange({ url, clock: systemClock }),
  redisCallbackExchange({ url, clock: systemClock }),
];
const memory = memoryCallbackExchange(systemClock);
while (one.trouble !== undefined || other.trouble !== undefined)
  await new Promise((resolve) => setTimeout(resolve, 10));
await new Promise((resolve) => setTimeout(resolve, 100));

const subjects = [
  { name: 'in memory, one instance', run: () => hop(memory, memory), times: [] as number[] },
  { name: 'Redis, lands at its owner', run: () => hop(one, one), times: [] as number[] },
  { name: 'Redis, lands elsewhere', run: () => hop(one, other), times: [] as number[] },
];
for (let round = 0; round < rounds + 200; round++)
  for (const { run, times } of subjects) {
    const ms = await run();
    if (round >= 200) times.push(ms);
  }
for (const { name, times } of subjects) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(3);
  process.stdout.write(`${name.padEnd(28)} p50 ${at(0.5)} ms   p99 ${at(0.99)} ms\n`);
}
await Promise.all([one.close(), other.close()]);
redis.kill('SIGTERM');
