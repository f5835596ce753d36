import { describe, expect, it, onTestFinished } from 'vitest';
import { fixedProxy } from '@portico/adapters-http';
import { text } from 'node:stream/consumers';
import { webServer } from '../program/outside-world.test.support.ts';
import { connectedFetch } from './connected-fetch.ts';

const test = { onTestFinished };

describe('connectedFetch', () => {
  it('sends method, headers and body, and returns status, headers and body', async () => {
    const { url, received } = await webServer(test, async (response, request) => {
      const body = `${request.headers['content-type']} ${request.headers.authorization} ${await text(request)}`;
      response.writeHead(400, { 'content-type': 'application/json', 'www-authenticate': 'Basic' }).end(body);
    });
    const response = await connectedFetch({})(`${url}/token`, {
      method: 'POST',
      headers: { authorization: 'Basic x' },
      body: new URLSearchParams({ grant_type: 'refresh_token' }),
    });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([400, 'Basic']);
    expect(await response.text()).toBe(
      'application/x-www-form-urlencoded;charset=UTF-8 Basic x grant_type=refresh_token',
    );
    expect(received).toEqual(['POST /token']);
  });

  it('returns a response without a body', async () => {
    const { url } = await webServer(test, (response) => response.writeHead(204).end());
    expect((await connectedFetch({})(url)).status).toBe(204);
  });

  it('does not follow redirects', async () => {
    const { url, received } = await webServer(test, (response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    );
    expect((await connectedFetch({})(`${url}/here`)).status).toBe(302);
    expect(received).toEqual(['GET /here']);
  });

  it('sends requests through the proxy', async () => {
    const { url, received } = await webServer(test, (response) => response.end('of the proxy'));
    const fetch = connectedFetch({ proxy: fixedProxy(url) });
    await fetch('http://identity.example/token').catch(() => {});
    expect(received.join()).toContain('identity.example');
  });

  it('returns every header, and a large body as it arrives', async () => {
    const rest = Promise.withResolvers<void>();
    const { url } = await webServer(test, async (response) => {
      response.writeHead(200, { etag: '"v1"', 'x-of-the-server': 'a' }).write('x'.repeat(2_000_000));
      await rest.promise;
      response.end('y');
    });
    const { headers, body } = await connectedFetch({})(url);
    expect([headers.get('etag'), headers.get('x-of-the-server')]).toEqual(['"v1"', 'a']);
    let size = 0;
    for await (const chunk of body!) {
      size += chunk.length;
      if (size === 2_000_000) rest.resolve();
    }
    expect(size).toBe(2_000_001);
  });

  it('rejects the body when the connection breaks', async () => {
    const { url } = await webServer(test, (response) => {
      response.writeHead(200, { 'content-length': 10 }).write('12345');
      setImmediate(() => response.destroy());
    });
    await expect(connectedFetch({})(url).then((response) => response.text())).rejects.toThrow('terminated');
  });

  it('ends the request when its signal aborts', async () => {
    const closed = Promise.withResolvers<void>();
    const { url, firstRequest } = await webServer(test, (response) => void response.once('close', closed.resolve));
    const abort = new AbortController();
    const pending = connectedFetch({})(url, { signal: abort.signal });
    const rejected = expect(pending).rejects.toThrow();
    await firstRequest;
    abort.abort();
    await rejected;
    await closed.promise;
  });
});
