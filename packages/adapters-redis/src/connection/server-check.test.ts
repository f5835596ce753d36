import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { err, ok } from 'neverthrow';
import { describe, expect, it, type TestContext } from 'vitest';
import { hasRedis, redisServer } from '../redis-server.test.support.ts';
import { checkRedisServer } from './server-check.ts';

const never = new AbortController().signal;

/** A server that replies to every command of a client by its name. */
const serverThatReplies = async (
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  replies: Readonly<Record<string, string>>,
) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const [, name = ''] of text.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) socket.write(replies[name] ?? '+OK\r\n');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const info = (text: string) => ({ PING: '+PONG\r\n', INFO: `$${text.length}\r\n${text}\r\n` });

describe('a Redis server is described', () => {
  it.skipIf(!hasRedis)('a real Redis server is described by its version', async (test) => {
    const { url } = await redisServer(test);
    expect(await checkRedisServer(url, never)).toEqual(
      ok({ product: 'Redis', version: expect.stringMatching(/^\d+\.\d+\.\d+/), isSupported: true }),
    );
  });

  it.for([
    ['redis_version:6.2.0', { product: 'Redis', version: '6.2.0', isSupported: true }],
    ['redis_version:6.0.16', { product: 'Redis', version: '6.0.16', isSupported: false }],
    ['redis_version:10.0.0', { product: 'Redis', version: '10.0.0', isSupported: true }],
    ['redis_version:7.2.4\r\nvalkey_version:8.0.1', { product: 'Valkey', version: '8.0.1', isSupported: true }],
    ['redis_version:7.2.4\r\nvalkey_version:7.0.0', { product: 'Valkey', version: '7.0.0', isSupported: false }],
  ] as const)('a Redis server is described as in its INFO reply: %j', async ([text, expected], test) => {
    expect(await checkRedisServer(await serverThatReplies(test, info(text)), never)).toEqual(ok(expected));
  });

  it('a Redis server is described without a version when the user may not run INFO', async (test) => {
    const url = await serverThatReplies(test, { PING: '+PONG\r\n', INFO: '-NOPERM no permission\r\n' });
    expect(await checkRedisServer(url, never)).toEqual(ok({ product: 'Redis', version: undefined, isSupported: true }));
  });
});

describe('a Redis server that cannot be used is reported by a code alone', () => {
  it('reports only a code when nothing listens at the URL of Redis', async () => {
    const url = 'redis://user:canary@127.0.0.1:9';
    expect(await checkRedisServer(url, never)).toEqual(err('ECONNREFUSED'));
  });

  it.for(['redis://:canary%zz@127.0.0.1', 'redis:///run/canary.sock', 'redis://127.0.0.1/0/1', 'canary'])(
    'reports only a code when the URL of Redis is not valid: %s',
    async (url) => {
      expect(await checkRedisServer(url, never)).toEqual(err('ERR_INVALID_URL'));
    },
  );

  it('reports only a code when Redis refuses commands', async (test) => {
    const url = await serverThatReplies(test, { PING: '-LOADING Redis is loading the dataset in memory\r\n' });
    expect(await checkRedisServer(url, never)).toEqual(err('LOADING'));
  });

  it.skipIf(!hasRedis)('reports only a code when the password for Redis is wrong', async (test) => {
    const redis = await redisServer(test, true, { requirepass: 'right' });
    const url = redis.url.replace('//', '//:canary@');
    expect(await checkRedisServer(url, never)).toEqual(err('WRONGPASS'));
  });

  it('sends nothing when the caller has aborted before', async () => {
    expect(await checkRedisServer('redis://127.0.0.1:9', AbortSignal.abort())).toEqual(err('connection closed'));
  });

  it('reports an error when Redis does not reply before the caller aborts', async (test) => {
    const received = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => received.resolve());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    test.onTestFinished(() => void server.close());
    const controller = new AbortController();
    const checked = checkRedisServer(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`, controller.signal);
    await received.promise;
    controller.abort();
    expect((await checked).isErr()).toBe(true);
  });
});
