import { aLeg } from '@portico/core/testing';
import { errAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { publicLeg } from '../index.ts';
import { listening, send } from '../server/portal.test.support.ts';
import { mhId, moaId, onSearch, searchFakes, serveSearch } from '../server/search.test.support.ts';
import { createServer } from '../server/server.ts';

describe('GET /health', () => {
  it('returns the health of the search API', async () => {
    const host = await serveSearch({ version: '1.2.3' });
    const before = Math.floor(process.uptime());
    const { status, headers, json } = await send(host.port, 'GET', '/health');
    const after = Math.floor(process.uptime());
    expect([status, headers]).toMatchObject([
      200,
      { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    ]);
    const { uptime_s: uptime } = json as { readonly uptime_s: number };
    expect(json).toEqual({
      status: 'ok',
      version: '1.2.3',
      uptime_s: uptime,
      pending: 0,
      callbacks: { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0, mismatched: 0 },
    });
    expect(Number.isInteger(uptime) && uptime >= before && uptime <= after).toBe(true);
  });

  it('counts pending legs and callbacks by outcome', async () => {
    const host = await serveSearch();
    const response = host.search();
    await host.posted(2);
    expect((await send(host.port, 'GET', '/health')).json).toMatchObject({ pending: 2 });
    for (const body of [onSearch(moaId), onSearch(moaId), onSearch(moaId), onSearch('unknown'), '{'])
      await host.callBack(body);
    host.clock.advance(10_000);
    await response;
    await host.callBack(onSearch(mhId));
    expect((await send(host.port, 'GET', '/health')).json).toMatchObject({
      pending: 0,
      callbacks: { delivered: 1, duplicate: 2, late: 1, unknown: 1, rejected: 1 },
    });
  });

  it('returns the status "degraded" while new searches are rejected', async () => {
    const host = await serveSearch({ maxPending: 3 });
    const response = host.search();
    await host.posted(2);
    expect((await send(host.port, 'GET', '/health')).json).toMatchObject({ status: 'degraded', pending: 2 });
    host.clock.advance(10_000);
    await response;
    expect((await send(host.port, 'GET', '/health')).json).toMatchObject({ status: 'ok', pending: 0 });
  });

  it('returns the version "unknown" by default', async () => {
    const { port } = await serveSearch();
    expect((await send(port, 'GET', '/health')).json).toMatchObject({ version: 'unknown' });
  });

  it.each(['/health', '/api/legs'])('allows only GET and HEAD for %s', async (path) => {
    const { port } = await serveSearch();
    expect((await send(port, 'HEAD', path)).status).toBe(200);
    const { status, headers } = await send(port, 'POST', path);
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

describe('GET /api/legs', () => {
  it('returns all legs in order and without secrets', async () => {
    const moa = {
      ...aLeg('moa', {
        bapUri: 'https://user:hunter2@bap.example.org',
        gatewayUrl: 'http://hunter2@gateway.example.org:8080/beckn',
        extraContext: { location: { country: { code: 'IND' } }, api_key: 'hunter2' },
        verifyCallbacks: false,
      }),
      signing: { subscriberId: 'bap.example.org', uniqueKeyId: 'k1', privateKey: 'hunter2' },
    };
    const mh = aLeg('mh', {
      bapUri: 'https://bap.example.org/on_search',
      gatewayPath: '/bap/caller/search/',
      domain: 'retail',
    });
    const { port } = await serveSearch({ legs: [moa, mh] });
    const { status, headers, text, json } = await send(port, 'GET', '/api/legs');
    expect([status, headers]).toMatchObject([
      200,
      { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    ]);
    expect(json).toEqual({
      legs: [
        {
          id: 'moa',
          label: 'The moa network',
          domain: 'schemes:moa',
          version: '1.1.0',
          city: 'std:080',
          category_code: 'health-cover',
          bap_id: 'bap.example.org',
          bap_uri: 'https://bap.example.org/',
          gateway_url: 'http://gateway.example.org:8080/beckn',
          gateway_path: '/search',
          ttl: 'PT10M',
        },
        {
          id: 'mh',
          label: 'The mh network',
          domain: 'retail',
          version: '1.1.0',
          city: 'std:080',
          category_code: 'health-cover',
          bap_id: 'bap.example.org',
          bap_uri: 'https://bap.example.org/on_search',
          gateway_url: 'https://mh.example.org',
          gateway_path: '/bap/caller/search/',
          ttl: 'PT10M',
        },
      ],
    });
    expect(text).not.toContain('hunter2');
  });

  it.each([
    ['HTTPS://user:hunter2@bap.example.org', 'https://bap.example.org/'],
    ['https://user:hunter2@hunter2@bap.example.org/a@b', 'https://bap.example.org/a@b'],
    ['https://bap.example.org/a@b', 'https://bap.example.org/a@b'],
    ['https://bap.example.org?mail=a@b', 'https://bap.example.org'],
    ['https://user:hunter2@bap.example.org/on_search?key=hunter2#hunter2', 'https://bap.example.org/on_search'],
    ['http:user:hunter2@bap.example.org', 'http://bap.example.org/'],
    ['http:\\\\user:hunter2@bap.example.org', 'http://bap.example.org/'],
    [' https://user:hunter2@bap.example.org', 'https://bap.example.org/'],
  ])('returns the URL %j without user, password, query and fragment', async (bapUri, shown) => {
    const { port } = await serveSearch({ legs: [aLeg('moa', { bapUri })] });
    expect((await send(port, 'GET', '/api/legs')).json).toMatchObject({ legs: [{ bap_uri: shown }] });
  });

  it('returns the gateway path without its query', async () => {
    const { port } = await serveSearch({ legs: [aLeg('moa', { gatewayPath: '/search?key=hunter2' })] });
    expect((await send(port, 'GET', '/api/legs')).json).toMatchObject({ legs: [{ gateway_path: '/search' }] });
  });

  it('returns legs as publicLeg does', async () => {
    const leg = aLeg('moa', { bapUri: 'https://user:hunter2@bap.example.org', extraContext: { api_key: 'hunter2' } });
    const { port } = await serveSearch({ legs: [leg] });
    expect((await send(port, 'GET', '/api/legs')).json).toEqual({ legs: [publicLeg(leg)] });
    expect(JSON.stringify(publicLeg(leg))).not.toContain('hunter2');
  });

  it('returns 503 if listing the legs fails with overload', async () => {
    const { use } = searchFakes();
    const port = await listening(
      createServer({ ...use, listLegs: () => errAsync({ kind: 'overloaded' as const, retryAfterSeconds: 7 }) }),
    );
    const { status, headers } = await send(port, 'GET', '/api/legs');
    expect([status, headers['retry-after']]).toEqual([503, '7']);
  });
});
