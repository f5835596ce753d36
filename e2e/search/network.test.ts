import { startEnvironment, type Environment } from '@portico/demo/environment';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({
    network: { callbacks: { until: 'deadline' } },
    // Longer than any test: a search ends when its client disconnects.
    settings: () => ({ search: { timeoutMs: 120_000, ackTimeoutMs: 60_000 } }),
  });
});
afterAll(() => environment.close());

interface CallbackEvent {
  readonly leg: string;
  readonly bpp_id: string;
  readonly result: object | null;
  readonly error?: { readonly code: string };
}

const control = async (method: string, path: string, body?: object): Promise<unknown> => {
  const init = { method, ...(body && { body: JSON.stringify(body) }) };
  return (await fetch(environment.sandbox.control.url + path, init)).json();
};

const health = async () => {
  const response = await fetch(`${environment.portico.url}/health`);
  return (await response.json()) as { readonly pending: number; readonly callbacks: Readonly<Record<string, number>> };
};

/** Streams a search until this number of sellers' callbacks has arrived. The client stays connected for the test. */
const streamUntil = async (count: number): Promise<readonly CallbackEvent[]> => {
  const client = new AbortController();
  onTestFinished(() => client.abort());
  const { body } = await fetch(`${environment.portico.url}/api/search`, {
    method: 'POST',
    signal: client.signal,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ persona: 'member', query: 'health', user_id: 'demo' }),
  });
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The stream ended: ${text}`);
    text += value;
    const events = [...text.matchAll(/^event: callback\ndata: (.*)\n\n/gm)];
    if (events.length >= count) return events.map(([, data = '']) => JSON.parse(data) as CallbackEvent);
  }
};

const sellersOf = (events: readonly CallbackEvent[]) =>
  events.map(({ bpp_id: id }) => id.replace(/\..*/, '')).toSorted();

const patiently = { interval: 5, timeout: 60_000 } as const;

it('a search fills up seller by seller: with pages, an error, and a callback that is sent twice', async () => {
  const before = (await health()).callbacks;
  const events = await streamUntil(6);

  expect(new Set(events.map(({ leg }) => leg))).toEqual(new Set(['care']));
  expect(sellersOf(events)).toEqual(['failing', 'fast', 'paged', 'paged', 'slow', 'twice']);
  expect(events.filter(({ error }) => error)).toMatchObject([
    { bpp_id: 'failing.care.example', result: null, error: { code: '30004' } },
  ]);
  // The callbacks of the other two networks count too.
  await expect
    .poll(async () => {
      const { delivered = 0, duplicate = 0 } = (await health()).callbacks;
      return [delivered - before['delivered']!, duplicate - before['duplicate']!];
    }, patiently)
    .toEqual([8, 1]);
});

it('a search whose client disconnected leaves nothing pending', async () => {
  await expect.poll(async () => (await health()).pending, patiently).toBe(0);
});

it('callbacks stay verified when a seller rotates its key between two searches', async () => {
  const { rejected } = (await health()).callbacks;
  expect(sellersOf(await streamUntil(6))).toContain('fast');
  expect(await control('POST', '/sellers/fast/key', { oldKeyValidMs: 600_000 })).toMatchObject({
    oldKeyId: 'fast.care.example.key-1',
    keyId: 'fast.care.example.key-2',
  });
  expect(sellersOf(await streamUntil(6))).toContain('fast');
  expect((await health()).callbacks['rejected']).toBe(rejected);
});

it('a seller that signs with an unregistered key is refused, and the others are shown', async () => {
  const { rejected = 0 } = (await health()).callbacks;
  onTestFinished(async () => void (await control('DELETE', '/sellers/fast')));
  await control('PUT', '/sellers/fast', { fault: 'wrong-signature' });
  expect(sellersOf(await streamUntil(5))).toEqual(['failing', 'paged', 'paged', 'slow', 'twice']);
  await expect.poll(async () => (await health()).callbacks['rejected'], patiently).toBe(rejected + 1);
});
