import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startEnvironment } from '@portico/demo/environment';

/** What became of a request: the whole answer, or how it failed. */
interface Outcome {
  readonly path: string;
  readonly isBefore: boolean;
  readonly status?: number;
  readonly retryAfter?: string | undefined;
  /** `refused`: nobody was there to take it; `cut`: its answer broke off. */
  readonly failure?: 'refused' | 'cut';
}

const paths = ['/me/coverage', '/me/claims', '/me/documents/DOC-EOB-1001-05', '/api/search'] as const;

it('a server that is told to end while it is busy answers everything that it has taken, and ends well', async () => {
  const environment = await startEnvironment({
    // One member asks for all of them, and on a fast machine more often than a member may.
    settings: () => ({
      connections: { drainDelayMs: 500 },
      search: { timeoutMs: 2000 },
      limits: { memberRequests: null },
    }),
  });
  onTestFinished(() => environment.close());
  const authorization = `Bearer ${await environment.sandbox.token('member-a')}`;
  await environment.sandbox.services.claims.setFault({ kind: 'latency', ms: 200 });
  await environment.sandbox.search.moa.setBehaviour({ delayMs: [300, 600] });

  const agent = new Agent({ keepAlive: true });
  let isBefore = true;
  const over = new AbortController();
  const ask = (path: string): Promise<Outcome> => {
    const asked = { path, isBefore };
    const isSearch = path === '/api/search';
    return new Promise((resolve) => {
      const outgoing = request(environment.portico.url + path, {
        agent,
        method: isSearch ? 'POST' : 'GET',
        headers: { authorization, ...(isSearch && { 'content-type': 'application/json' }) },
      });
      // Refused, or reset in the queue of connections that nobody had taken yet. The log tells of those that were taken.
      outgoing.on('error', () => resolve({ ...asked, failure: 'refused' }));
      outgoing.on('response', (response: IncomingMessage) => {
        const { statusCode: status = 0, headers } = response;
        response.on('end', () => resolve({ ...asked, status, retryAfter: headers['retry-after'] }));
        response.on('error', () => resolve({ ...asked, failure: 'cut' }));
        response.resume();
      });
      outgoing.end(isSearch ? '{"persona":"member","query":"health","user_id":"u-1"}' : undefined);
    });
  };
  const outcomes: Outcome[] = [];
  const client = async (path: string) => {
    while (!over.signal.aborted) {
      const outcome = await ask(path);
      outcomes.push(outcome);
      if (outcome.failure === 'refused') await pause(20);
    }
  };

  const clients = Array.from({ length: 24 }, (_, nth) => client(paths[nth % paths.length]!));
  await expect.poll(() => outcomes.length).toBeGreaterThan(100);
  isBefore = false;
  expect(await environment.portico.stop()).toBe(0);
  over.abort();
  await Promise.all(clients);

  const before = outcomes.filter((outcome) => outcome.isBefore);
  expect(before.filter(({ status }) => status !== 200)).toEqual([]);
  expect(new Set(before.map(({ path }) => path))).toEqual(new Set(paths));
  const after = outcomes.filter((outcome) => !outcome.isBefore);
  expect(after.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  // Whoever comes too late is not taken, or told to come back: never cut off.
  for (const { status, retryAfter, failure } of after)
    if (status === 503) expect(retryAfter).toBe('1');
    else if (status !== 200) expect(failure).toBe('refused');
  expect(environment.log()).toMatch(/"message":"request"/);
  expect(environment.log()).not.toMatch(/"outcome":"cut"/);
  expect(environment.log()).toContain('stopped');
});
