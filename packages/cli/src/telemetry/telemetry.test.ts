import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bearer, searchFor, sendJson } from '../program/outside-world.test.support.ts';
import { measuredPortico } from './metrics/measured-portico.test.support.ts';

const test = { onTestFinished };

/** Returns the status of a request with a method that fetch does not support. */
const statusOf = async (url: string, method: string): Promise<number | undefined> => {
  const sent = request(url, { method }).end();
  const [response] = (await once(sent, 'response')) as [{ readonly statusCode?: number; resume(): void }];
  response.resume();
  return response.statusCode;
};

/** A private value that must not appear in metrics and logs. */
const canary = 'hunter2';

describe('metrics of HTTP requests', () => {
  it('labels metrics with the route, never the path', async () => {
    const { url, identity, series } = await measuredPortico(test, (response) => sendJson(response, {}));
    const headers = bearer(identity.token());
    for (const path of ['/me/claims/CLM-1', '/me/claims/CLM-2', '/me/claims/a..b', '/me/coverage'])
      await (await fetch(url + path, headers)).text();
    await (await fetch(`${url}/me/coverage`)).text();

    await expect
      .poll(() => series(/^portico_http_requests_total/), { interval: 1 })
      .toEqual([
        'portico_http_requests_total{method="GET",route="/me/claims/:locator",status="200"} 2',
        'portico_http_requests_total{method="GET",route="/me/claims/:locator",status="400"} 1',
        'portico_http_requests_total{method="GET",route="/me/coverage",status="200"} 1',
        'portico_http_requests_total{method="GET",route="/me/coverage",status="401"} 1',
      ]);
    expect(await series(/^portico_http_request_duration_seconds_(?:count|bucket\{le="\+Inf")/)).toEqual([
      'portico_http_request_duration_seconds_bucket{le="+Inf",route="/me/claims/:locator"} 3',
      'portico_http_request_duration_seconds_count{route="/me/claims/:locator"} 3',
      'portico_http_request_duration_seconds_bucket{le="+Inf",route="/me/coverage"} 2',
      'portico_http_request_duration_seconds_count{route="/me/coverage"} 2',
    ]);
  });

  it('exports a fixed number of series for any requests', async () => {
    const { url, series } = await measuredPortico(test, (response) => sendJson(response, {}));
    const paths = Array.from({ length: 200 }, (_, index) => `/${canary}-${index}`);
    while (paths.length > 0)
      await Promise.all(paths.splice(0, 50).map(async (path) => (await fetch(url + path)).arrayBuffer()));
    for (const method of ['PURGE', 'MKCOL', 'M-SEARCH']) expect(await statusOf(`${url}/me/coverage`, method)).toBe(405);

    await expect
      .poll(() => series(/^portico_http_requests_total/), { interval: 1 })
      .toEqual([
        'portico_http_requests_total{method="GET",route="none",status="404"} 200',
        'portico_http_requests_total{method="other",route="none",status="405"} 3',
      ]);
    expect(await series(/^portico_http_requests_cut_total/)).toHaveLength(1);
  });

  it('counts requests in progress, and requests that the client interrupted', async () => {
    const { url, identity, services, series } = await measuredPortico(test, () => {});
    const client = new AbortController();
    const response = fetch(`${url}/me/coverage`, { ...bearer(identity.token()), signal: client.signal });
    response.catch(() => {});
    await services.firstRequest;
    expect(await series(/in_flight/)).toEqual(['portico_http_requests_in_flight 1']);
    client.abort();

    await expect.poll(() => series(/in_flight/), { interval: 1 }).toEqual(['portico_http_requests_in_flight 0']);
    expect(await series(/cut/)).toEqual(['portico_http_requests_cut_total{route="/me/coverage"} 1']);
  });
});

it('a running server logs a failed request as a warning with the service, the reason and its status', async () => {
  const { url, identity, entries } = await measuredPortico(test, (response) => void response.writeHead(503).end());
  const response = await fetch(`${url}/me/claims/CLM-1`, bearer(identity.token()));
  expect(await response.text()).not.toContain('upstreamStatus');

  await expect
    .poll(() => entries.filter(({ level }) => level === 'warn'), { interval: 1 })
    .toMatchObject([
      {
        message: 'request',
        fields: {
          requestId: response.headers.get('x-request-id'),
          route: '/me/claims/:locator',
          status: 502,
          code: 'upstream-failure',
          service: 'claims',
          reason: 'status',
          upstreamStatus: 503,
        },
      },
    ]);
});

it('metrics and logs contain no private data', async () => {
  const { url, identity, services, metrics, entries } = await measuredPortico(test, (response) => {
    response.setHeader('X-Private', canary);
    sendJson(response, { name: canary });
  });
  const token = identity.token({ sub: `PTY-${canary}` });
  const { headers } = bearer(token);
  await (await fetch(`${url}/me/claims/CLM-${canary}`, { headers })).text();
  await (await fetch(`${url}/me/claims?status=${canary}`, { headers })).text();
  const json = { ...headers, 'content-type': 'application/json' };
  const body = JSON.stringify({ a: canary });
  expect((await fetch(`${url}/me/claims`, { method: 'POST', headers: json, body })).ok).toBe(true);
  await (await fetch(`${url}/${canary}?${canary}`, { headers: { 'user-agent': canary } })).text();
  await (await searchFor(url, canary)).text();
  await expect.poll(() => entries.filter(({ message }) => message === 'request').length, { interval: 1 }).toBe(5);

  const output = (await metrics()) + JSON.stringify(entries);
  for (const secret of [canary, token, services.url, identity.issuer, 'u-1']) expect(output).not.toContain(secret);
});
