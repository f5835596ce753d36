import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, json, text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { startEnvironment, type Environment } from '@portico/demo/environment';
import { reservePort } from '@portico/demo/ports';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SessionPortal, startSessionPortal } from '../member/session-portal.ts';
import { isInstalled } from './installed-tool.ts';
import { type Nginx, startNginx } from './nginx-server.ts';
import { blockOf } from '../project-file.ts';

const canRun = isInstalled('nginx') && isInstalled('openssl');

it.each([
  ['docs/how-to/nginx.md', 'nginx'],
  ['docs/tutorials/operator.md', 'nginx save=nginx.conf'],
])('the configuration of nginx in %s leaves a host that does not respond after two seconds', (page, language) => {
  expect(blockOf(page, language)).toMatch(/^ +proxy_connect_timeout 2s;$/m);
});

describe.skipIf(!canRun)('behind nginx with the configuration and the settings of the page, Portico', () => {
  let environment: Environment;
  let nginx: Nginx;
  let authorization: string;

  beforeAll(async () => {
    const { listen } = JSON.parse(blockOf('docs/how-to/nginx.md', 'json settings')) as { listen: object };
    environment = await startEnvironment({
      settings: () => ({
        listen,
        // Higher than the number of requests from 127.0.0.1, which include the callbacks of the sellers.
        limits: { addressRequests: { requests: 20, seconds: 3600 } },
        search: { timeoutMs: 60_000, ackTimeoutMs: 60_000 },
      }),
    });
    nginx = await startNginx(environment.portico.url);
    authorization = `Bearer ${await environment.sandbox.token('member-a')}`;
  });
  afterAll(async () => {
    await nginx?.close();
    await environment?.close();
  });

  it('responds over TLS, with the header that makes browsers stay with TLS', async () => {
    const response = await nginx.send({ path: '/me/coverage', headers: { authorization } });
    expect(response.statusCode).toBe(200);
    expect(response.headers['strict-transport-security']).toBe('max-age=31536000');
    expect(await json(response)).toEqual(await (await (await environment.as('member-a'))('/me/coverage')).json());
  });

  it('relays a PDF byte for byte', async () => {
    const member = await environment.as('member-a');
    const { documents } = (await (await member('/me/documents')).json()) as { documents: { locator: string }[] };
    const path = `/me/documents/${documents[0]?.locator}`;
    const response = await nginx.send({ path, headers: { authorization } });
    expect(response.headers['content-type']).toBe('application/pdf');
    expect(await buffer(response)).toEqual(Buffer.from(await (await member(path)).arrayBuffer()));
  });

  it('streams a search event by event', async () => {
    const { gateway } = environment.sandbox.search.mh;
    await gateway.setFault({ kind: 'black-hole' });
    const response = await nginx.send(
      {
        method: 'POST',
        path: '/api/search',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      },
      JSON.stringify({ persona: 'member', query: 'health', user_id: 'demo' }),
    );
    let stream = '';
    let isOtherLegPending = true;
    for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
      stream += chunk;
      if (isOtherLegPending && stream.includes('"leg":"moa"')) {
        isOtherLegPending = false;
        // The other leg settles only after the event of the first one has arrived: its gateway refuses.
        await gateway.setFault({ kind: 'refuse' });
      }
    }
    await gateway.setFault(null);
    expect(Array.from(stream.matchAll(/^event: (\w+)/gm), ([, name]) => name)).toEqual(['leg', 'leg', 'done']);
  });

  it('accepts a callback of 2 MB', async () => {
    const context = { action: 'on_search', transaction_id: 'of-another-search' };
    const body = JSON.stringify({ context, message: { catalog: { filler: 'x'.repeat(2_000_000) } } });
    const headers = { 'content-type': 'application/json' };
    const response = await nginx.send({ method: 'POST', path: '/on_search', headers }, body);
    expect([response.statusCode, await text(response)]).toEqual([200, '{"message":{"ack":{"status":"ACK"}}}']);
  });

  it('hides its probes from other networks', async () => {
    for (const path of ['/livez', '/readyz', '/health'])
      expect((await nginx.send({ path })).statusCode, path).toBe(403);
  });

  it('nginx logs no path and no query of a request that is forwarded, forbidden or cannot be forwarded', async () => {
    const down = await startNginx(`http://127.0.0.1:${await reservePort()}`);
    onTestFinished(down.close);
    const forwarded = await nginx.send({ path: '/me/claims/canary-1?canary=1', headers: { authorization } });
    const forbidden = await nginx.send({ path: '/livez?canary=2' });
    const refused = await down.send({ path: '/me/claims/canary-3', headers: { referer: '/canary-4' } });
    expect([forwarded, forbidden, refused].map(({ statusCode }) => statusCode)).toEqual([404, 403, 502]);
    expect(nginx.logs() + down.logs()).not.toContain('canary');
  });

  it('accepts a token of 8 KiB', async () => {
    const { mint } = environment.sandbox.identity;
    const room = 8192 - (await mint({ filler: '' })).length;
    const token = await mint({ filler: 'x'.repeat(Math.floor((room * 3) / 4)) });
    expect(token.length).toBeGreaterThan(8000);
    const response = await nginx.send({ path: '/me/coverage', headers: { authorization: `Bearer ${token}` } });
    expect([response.statusCode, await json(response)]).toEqual([
      200,
      expect.objectContaining({ locator: 'COV-1001' }),
    ]);
  });

  it('limits each address of a client apart', async () => {
    const statuses: (number | undefined)[] = [];
    for (const localAddress of [...Array.from({ length: 21 }, () => '127.0.0.2'), '127.0.0.3'])
      statuses.push((await nginx.send({ path: '/me/claims', localAddress })).statusCode);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429, 401]);
  });
});

describe.skipIf(!canRun)('nginx without folders for temporary files', () => {
  const maxRequestBytes = 256 * 1024;
  const maxResponseBytes = 64 * 1024 * 1024;
  let server: Server;
  let nginx: Nginx;

  beforeAll(async () => {
    // Responds to GET with a large body, and to POST with the length of the body it receives.
    server = createServer((request, response) => {
      void buffer(request).then(({ length }) =>
        response.end(request.method === 'GET' ? Buffer.alloc(maxResponseBytes) : String(length)),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    nginx = await startNginx(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    nginx.removeTemporaryFolders();
  });
  afterAll(async () => {
    await nginx?.close();
    server.close();
  });

  it('forwards the largest claim that Portico accepts, sent at once or in chunks', async () => {
    const claim = 'x'.repeat(maxRequestBytes);
    for (const headers of [{ 'content-length': claim.length }, { 'transfer-encoding': 'chunked' }]) {
      const response = await nginx.send({ method: 'POST', path: '/me/claims', headers }, claim);
      expect([response.statusCode, await text(response)]).toEqual([200, String(maxRequestBytes)]);
    }
  });

  it('refuses a larger claim instead of writing it to disk', async () => {
    const response = await nginx.send({ method: 'POST', path: '/me/claims' }, 'x'.repeat(maxRequestBytes + 1));
    expect(response.resume().statusCode).toBe(413);
  });

  it('sends a large response to a client that reads slower than the server sends', async () => {
    const response = await nginx.send({ path: '/me/claims' });
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      await setImmediate();
    }
    expect(length).toBe(maxResponseBytes);
  });
});

describe.skipIf(!canRun)('behind nginx, a portal with browser sessions', () => {
  let portal: SessionPortal;
  let nginx: Nginx;

  beforeAll(async () => {
    portal = await startSessionPortal({ publicUrl: 'https://portal.example.com' });
    nginx = await startNginx(portal.urls[0]!);
  });
  afterAll(async () => {
    await nginx?.close();
    await portal?.close();
  });

  it('signs members in with a cookie that only this host gets, and only over TLS', async () => {
    const cookies: string[] = [];
    const browser = await portal.signedIn('member-a', async (url, init) => {
      if (!url.startsWith(portal.url)) return fetch(url, init);
      const response = await overTls(nginx, url, init);
      cookies.push(...response.headers.getSetCookie());
      return response;
    });
    expect((await browser.request(`${portal.url}/me/coverage`)).status).toBe(200);
    expect(browser.cookies('portal.example.com').get('__Host-portico')).toMatch(/^ey/);
    expect(cookies.length).toBeGreaterThan(1);
    for (const cookie of cookies)
      expect(cookie).toMatch(/^__Host-[^=]+=.*; (?=.*Secure)(?=.*HttpOnly)(?=.*SameSite=Lax)(?=.*Path=\/)(?!.*Domain)/);

    const logout = { method: 'POST', headers: { 'x-portico-csrf': '1', 'sec-fetch-site': 'same-origin' } };
    const { logout_url: logoutUrl } = (await (
      await browser.request(`${portal.url}/session/logout`, logout)
    ).json()) as { readonly logout_url: string };
    expect(new URL(logoutUrl).searchParams.get('post_logout_redirect_uri')).toBe(`${portal.url}/`);
    expect(browser.cookies('portal.example.com').has('__Host-portico')).toBe(false);
  });
});

/** Sends a request of a browser through nginx. */
const overTls = async (nginx: Nginx, url: string, { method = 'GET', headers }: RequestInit): Promise<Response> => {
  const { pathname, search } = new URL(url);
  const fields = Object.fromEntries(new Headers(headers));
  const response = await nginx.send({ method, path: pathname + search, headers: fields });
  const { rawHeaders } = response;
  const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));
  const body = await buffer(response);
  return new Response(body.length === 0 ? null : body, {
    status: response.statusCode ?? 0,
    headers: pairs as [string, string][],
  });
};
