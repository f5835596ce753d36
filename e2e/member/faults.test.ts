import type { Fault } from '@portico/sandbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MemberRoute, memberRoutes, requestOf } from './member-routes.ts';
import { startEnvironment, type Environment } from '@portico/demo/environment';

let environment: Environment;
let member: Awaited<ReturnType<Environment['as']>>;

beforeAll(async () => {
  environment = await startEnvironment({
    settings: (sandbox) => ({
      limits: { maxResponseBytes: 100_000, memberRequests: null },
      downstreams: Object.fromEntries(
        Object.entries(sandbox.services).map(([name, { url }]) => [name, { url, timeoutMs: 3000 }]),
      ),
    }),
  });
  member = await environment.as('member-a');
  // The first requests may take longer than this limit.
  await untilAllAreServed();
});
afterAll(() => environment.close());

const failed = (reason: string) => ({ status: 502, code: 'upstream-failure', reason });
const cut = 'the connection is cut';

interface Row {
  readonly fault: Fault;
  readonly json: { readonly status: number; readonly code: string; readonly reason?: string };
  /** Outcome of a PDF download, if it differs. */
  readonly pdf?: Row['json'] | typeof cut;
}

const rows: readonly Row[] = [
  { fault: { kind: 'status', status: 404 }, json: { status: 404, code: 'not-found' } },
  ...[400, 401, 403, 409, 418, 429, 500, 503].map((status) => ({
    fault: { kind: 'status', status } as const,
    json: failed('status'),
  })),
  { fault: { kind: 'redirect', location: 'http://127.0.0.1:1/elsewhere' }, json: failed('status') },
  { fault: { kind: 'refuse' }, json: failed('unreachable') },
  { fault: { kind: 'reset' }, json: failed('unreachable') },
  { fault: { kind: 'reset-body' }, json: failed('unreachable'), pdf: cut },
  { fault: { kind: 'black-hole' }, json: failed('timeout') },
  { fault: { kind: 'latency', ms: 60_000 }, json: failed('timeout') },
  { fault: { kind: 'drip', everyMs: 60_000 }, json: failed('timeout'), pdf: cut },
  { fault: { kind: 'garbage' }, json: failed('malformed') },
  { fault: { kind: 'wrong-type' }, json: failed('malformed') },
  { fault: { kind: 'huge', bytes: 100_000 }, json: failed('too-large'), pdf: failed('malformed') },
];

const isPdf = ({ path }: MemberRoute) => path.startsWith('/me/documents/');

const outcome = async (route: MemberRoute) => {
  const response = await member(route.path, requestOf(route));
  try {
    const text = await response.text();
    if (response.headers.get('content-type') !== 'application/problem+json') return `${response.status} ${text}`;
    const { status, code, reason, service } = JSON.parse(text) as Record<string, unknown>;
    return { text, failure: { status, code, ...(reason !== undefined && { reason }) }, service };
  } catch {
    return cut;
  }
};

const allAreServed = async () => {
  const responses = await Promise.all(memberRoutes.map((route) => member(route.path, requestOf(route))));
  await Promise.all(responses.map((response) => response.arrayBuffer()));
  return responses.every(({ ok }) => ok);
};
const untilAllAreServed = () => vi.waitFor(async () => expect(await allAreServed()).toBe(true), { timeout: 60_000 });

const expected = (route: MemberRoute, { json, pdf = json }: Row) => {
  if (isPdf(route)) return pdf;
  const neverSet = route.path === '/me/preferences' && json.code === 'not-found';
  return neverSet ? { ...json, code: 'preferences-not-set' } : json;
};

describe.each(rows)('when every service has the fault $fault', (row) => {
  beforeAll(() =>
    Promise.all(Object.values(environment.sandbox.services).map((service) => service.setFault(row.fault))),
  );
  // A POST on a connection that is being reset fails without a retry: wait until all such connections are closed.
  afterAll(async () => {
    await Promise.all(Object.values(environment.sandbox.services).map((service) => service.setFault(null)));
    await untilAllAreServed();
  });

  it.concurrent.each(memberRoutes)('returns the failure of the contract for $method $path', async (route) => {
    const actual = await outcome(route);
    if (typeof actual === 'string') {
      expect(actual).toBe(expected(route, row));
      return;
    }
    expect(actual.failure).toEqual(expected(route, row));
    expect(actual.service).toBe(route.service);
    expect(actual.text).not.toMatch(/ORA-00942|10\.0\.0\.7|internal|127\.0\.0\.1|PTY-1001|<html/i);
  });
});

describe('when one service does not respond', () => {
  it('has the timeout in its parts of the page, and all other parts', async () => {
    const { eligibility } = environment.sandbox.services;
    await eligibility.setFault({ kind: 'black-hole' });
    const page = (await (await member('/me')).json()) as {
      readonly partial: boolean;
      readonly parts: Readonly<Record<string, { readonly status: number; readonly problem?: object }>>;
    };
    await eligibility.setFault(null);
    const failedParts = Object.entries(page.parts).filter(([, { status }]) => status !== 200);
    expect([page.partial, failedParts.map(([name]) => name)]).toEqual([true, ['coverage', 'accumulators']]);
    expect(page.parts['coverage']?.problem).toMatchObject({ ...failed('timeout'), service: 'eligibility' });
    await untilAllAreServed();
  });
});

describe('after all faults', () => {
  it('serves every route', async () => {
    expect(await allAreServed()).toBe(true);
  });

  it('logs no private data and no data of the downstream services in any fault', () => {
    expect(environment.log()).not.toMatch(/PTY-1001|Bearer|ORA-00942|http:/);
  });
});
