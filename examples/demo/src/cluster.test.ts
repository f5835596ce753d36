import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { hasRedis, startRedis } from './cluster.ts';

describe.skipIf(!hasRedis)('a Redis for tests', () => {
  it('stops although its process has already ended', async () => {
    const redis = await startRedis();
    const connection = connect(redis.port, '127.0.0.1').on('error', () => {});
    const closed = new Promise((resolve) => connection.once('close', resolve));
    await once(connection, 'connect');
    process.kill(redis.pid(), 'SIGKILL');
    await closed;
    await redis.stop();
    await redis.stop();
  });

  it('rejects instead of using the server of another process on its port', async () => {
    const redis = await startRedis();
    await redis.stop();
    const other = createServer().listen(redis.port, '127.0.0.1');
    await once(other, 'listening');
    await expect(redis.start()).rejects.toThrow(`on port ${redis.port}`);
    await redis.stop();
    other.close();
  });
});
