import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../connection/listener.ts';

/** A server that is closed at the end of the test. */
const server = () => {
  const created = createServer();
  onTestFinished(() => void created.close());
  return created;
};

/** A server that listens, and its port. */
const listening = async (reusePort: boolean) => {
  const created = server();
  await once(created.listen({ port: 0, host: '127.0.0.1', reusePort }), 'listening');
  return (created.address() as AddressInfo).port;
};

const sourceOf = (setting: string) => `source of ${setting}`;

describe('listening with reusePort', () => {
  it.for([
    [true, false],
    [false, true],
  ])('reports a port that is in use unless both processes share it: %j', async ([first, second]) => {
    const port = await listening(first!);

    expect(await listen(server(), { host: '127.0.0.1', port, sharesPort: second! }, sourceOf)).toMatchObject({
      problem: { setting: 'listen.port', message: expect.stringContaining('is already in use') },
    });
  });

  it('reports a system that cannot share a port', async () => {
    const unable = server();
    unable.listen = () => {
      queueMicrotask(() => unable.emit('error', Object.assign(new Error('not supported'), { code: 'ENOTSUP' })));
      return unable;
    };

    expect(await listen(unable, { host: '127.0.0.1', port: 8080, sharesPort: true }, sourceOf)).toEqual({
      problem: {
        setting: 'listen.reusePort',
        source: 'source of listen.reusePort',
        message: 'this system cannot share a port between processes; set it to false',
      },
    });
  });
});
