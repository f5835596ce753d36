import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { fakeClock } from '@portico/core/testing';
import { err } from 'neverthrow';
import { expect, it, vi } from 'vitest';
import { redisClient } from '../client.ts';
import { queueLimits } from '../callback-exchange/exchange.ts';
import { hasRedis, inspector, redisServer } from '../redis-server.test.support.ts';
import { closeWithin, connectionOptions } from './connection.ts';
import { checkRedisServer } from './server-check.ts';

const certificate = new URL('../../../adapters-http/src/connection/server.test.pem', import.meta.url);

it('the queue of a connection is limited to 50,000 commands', () => {
  expect(connectionOptions('redis://127.0.0.1').commandsQueueMaxLength).toBe(50_000);
  expect(queueLimits).toEqual({ maxQueuedCommands: 50_000, maxUnreported: 10_000 });
});

const noReply = () => new Promise<never>(() => {});

it('closeWithin ends a connection to a Redis that does not reply to its last commands', async () => {
  const clock = fakeClock();
  const destroy = vi.fn<() => void>();
  // Like the client of Redis, which waits for the replies.
  const closing = closeWithin({ isReady: true, on: () => {}, close: noReply, destroy }, 500, clock.after);
  clock.advance(500);
  await closing;
  expect(destroy).toHaveBeenCalledOnce();
});

it.skipIf(!hasRedis)('closeWithin ends a first connection that is being made', async (test) => {
  const client = redisClient(connectionOptions((await redisServer(test)).url));
  const isMade = client.connect();
  await closeWithin(client, 500, fakeClock().after);
  await isMade;
  expect(client.isReady).toBe(false);
});

it.skipIf(!hasRedis)('closeWithin ends a connection that is being made again', async (test) => {
  const redis = await redisServer(test);
  const observer = await inspector(test, redis);
  const client = redisClient(connectionOptions(redis.url));
  client.on('error', () => {});
  await client.connect();
  const isMade = new Promise<void>((resolve) => void client.once('ready', resolve));
  client.once('reconnecting', () => void closeWithin(client, 500, fakeClock().after));
  await observer.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
  await isMade;
  expect(client.isReady).toBe(false);
});

it('a rediss URL gets a verified connection even when a variable of Node permits others', async ({
  onTestFinished,
}) => {
  const pem = readFileSync(certificate, 'utf8');
  const received: Buffer[] = [];
  const server = createServer({ key: pem, cert: pem }, (socket) => {
    socket.on('error', () => {}).on('data', (bytes: Buffer) => received.push(bytes) && socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = `rediss://:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}`;

  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const client = redisClient(connectionOptions(url));
  const failed = once(client, 'error');
  client.connect().catch(() => {});
  await failed;
  client.destroy();
  const check = await checkRedisServer(url, new AbortController().signal);

  expect(Buffer.concat(received).toString()).toBe('');
  expect(check).toEqual(err('UNABLE_TO_VERIFY_LEAF_SIGNATURE'));
});
