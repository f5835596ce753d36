import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startEnvironment } from '@portico/demo/environment';

/** The outcome of a request: a complete response, or a failure. */
interface Outcome {
  readonly path: string;
  readonly isBefore: boolean;
  readonly status?: number;
  readonly retryAfter?: string | undefined;
  /** `refused`: the connection was not accepted; `cut`: the response was incomplete. */
  readonly failure?: 'refused' | 'cut';
}

const paths = ['/me/coverage', '/me/claims', '/me/documents/DOC-EOB-1001-05', '/api/search'] as const;

it('Portico completes all accepted requests after SIGTERM under load, and exits with 0', async () => {
  const environment = await startEnvironment({
    // One member sends all requests, on a fast machine more than the rate limit of a member.
    settings: () => ({
      connections: { drainDelayMs: 2000 },
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
  const send = (path: string): Promise<Outcome> => {
    const sent = { path, isBefore };
    const isSearch = path === '/api/search';
    return new Promise((resolve) => {
      const outgoing = request(environment.portico.url + path, {
        agent,
        method: isSearch ? 'POST' : 'GET',
        headers: { authorization, ...(isSearch && { 'content-type': 'application/json' }) },
      });
      // Refused, or reset before it was accepted. The log contains accepted requests.
      outgoing.on('error', () => resolve({ ...sent, failure: 'refused' }));
      outgoing.on('response', (response: IncomingMessage) => {
        const { statusCode: status = 0, headers } = response;
        response.on('end', () => resolve({ ...sent, status, retryAfter: headers['retry-after'] }));
        response.on('error', () => resolve({ ...sent, failure: 'cut' }));
        response.resume();
      });
      outgoing.end(isSearch ? '{"persona":"member","query":"health","user_id":"u-1"}' : undefined);
    });
  };
  const outcomes: Outcome[] = [];
  const client = async (path: string) => {
    while (!over.signal.aborted) {
      const outcome = await send(path);
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
  // Later requests are refused or get a 503: responses are never cut.
  for (const { status, retryAfter, failure } of after)
    if (status === 503) expect(retryAfter).toBe('1');
    else if (status !== 200) expect(failure).toBe('refused');
  expect(environment.log()).toMatch(/"message":"request"/);
  expect(environment.log()).not.toMatch(/"outcome":"cut"/);
  expect(environment.log()).toContain('stopped');
});
