import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fakeClock } from '@portico/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { ProviderError, providerFetch } from './provider-fetch.ts';

/** A server on loopback, and a request to it with a clock that the test advances. */
const serving = async (listener: RequestListener) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = fakeClock();
  const fetch = providerFetch({ fetch: globalThis.fetch, clock, timeoutMs: 5000 });
  return { url, clock, fetch };
};

const reasonOf = (result: Promise<unknown>): Promise<unknown> =>
  result.then(
    () => 'none',
    (error: unknown) => (error instanceof ProviderError ? error.reason : error),
  );

it('the fetch of the provider returns a complete response, and forgets its deadline', async () => {
  const { url, fetch, clock } = await serving((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method: request.method, type: request.headers['content-type'] }));
  });
  const body = new URLSearchParams({ a: 'b' });
  const response = await fetch(url, { method: 'POST', body });
  expect(await response.json()).toEqual({
    method: 'POST',
    type: 'application/x-www-form-urlencoded;charset=UTF-8',
  });
  expect(clock.scheduled).toBe(0);
});

it('the fetch of the provider includes the body in the deadline, and closes the connection of a late response', async () => {
  const [received, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { url, fetch, clock } = await serving((_, response) => {
    response.once('close', closed.resolve).write('{');
    received.resolve();
  });
  const reason = reasonOf(fetch(url, {}));
  await received.promise;
  clock.advance(5000);
  expect(await reason).toBe('timeout');
  await closed.promise;
});

it('the fetch of the provider does not follow a redirect', async () => {
  const paths: (string | undefined)[] = [];
  const { url, fetch } = await serving((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect((await fetch(`${url}/token`, { method: 'POST' })).status).toBe(307);
  expect(paths).toEqual(['/token']);
});

it('the fetch of the provider fails without a URL or a text of the response in its error', async () => {
  const { url, fetch } = await serving((_, response) => void response.destroy());
  for (const target of [url, 'http://id.example/', 'javascript:alert(1)', 'file:///etc/passwd', 'garbage']) {
    const error = await fetch(target, {}).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ reason: 'unreachable', message: 'identity provider: unreachable' });
  }
});
