import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OnSearch, type SearchEnvironment, startSearchEnvironment } from './search-environment.ts';

let environment: SearchEnvironment;

beforeAll(async () => {
  environment = await startSearchEnvironment({ timeoutMs: 60_000, ackTimeoutMs: 60_000 });
});
afterEach(() => environment.clearFaults());
afterAll(() => environment.close());

const ids = (leg: OnSearch | null) =>
  Object.values(leg?.message.catalog ?? {}).flatMap((providers) =>
    Array.isArray(providers) ? providers.flatMap(({ items }) => items as { readonly id: string }[]) : [],
  );

describe('one search on two networks', () => {
  it('returns both catalogs', async () => {
    const result = await environment.search();
    expect(result.errors).toBeUndefined();
    expect(result.moa?.context.domain).toBe('schemes:moa');
    expect(result.mh?.context.domain).toBe('retail');
    expect(result.moa?.message.catalog).toHaveProperty('providers');
    expect(result.mh?.message.catalog).toHaveProperty('bpp/providers');
    expect(result.traces['moa']?.transaction_id).toBe(result.moa?.context.transaction_id);
    expect(result.elapsed_ms).toBeGreaterThanOrEqual(result.traces['mh']!.elapsed_ms);
    expect((await environment.health()).pending).toBe(0);
  });

  it('matches the name on both legs', async () => {
    const [soil, meter] = [await environment.search('soil'), await environment.search('glucometer')];
    expect([ids(soil.moa).length, ids(soil.mh).length]).toEqual([1, 0]);
    expect([ids(meter.moa).length, ids(meter.mh).length]).toEqual([0, 1]);
  });

  it('sends new transaction ids every time', async () => {
    const results = await Promise.all([environment.search(), environment.search()]);
    const all = results.flatMap(({ traces }) => Object.values(traces).map((trace) => trace.transaction_id));
    expect(new Set(all).size).toBe(4);
  });

  it('streams each leg as it settles, the faster one first', async () => {
    const { gateway } = environment.sandbox.search.mh;
    await gateway.setFault({ kind: 'black-hole' });
    const { body, headers } = await environment.post('text/event-stream');
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    const names: string[] = [];
    let text = '';
    let pendingAtFirst: number | undefined;
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const events = [...text.matchAll(/^event: (\w+)\ndata: (?:\{"leg":"(\w+)")?/gm)].map(
        ([, name, leg]) => leg ?? name!,
      );
      if (events.length === 1 && names.length === 0) {
        pendingAtFirst = (await environment.health()).pending;
        // The other leg settles now: it fails.
        await gateway.setFault({ kind: 'refuse' });
      }
      names.splice(0, names.length, ...events);
    }
    expect([pendingAtFirst, names]).toEqual([1, ['moa', 'mh', 'done']]);
  });

  it('one search on two networks is cancelled when the client disconnects', async () => {
    const { moa, mh } = environment.sandbox.search;
    await Promise.all([moa.setBehaviour({ fault: 'silent' }), mh.setBehaviour({ fault: 'silent' })]);
    moa.server.clearRequests();
    mh.server.clearRequests();
    const disconnecting = new AbortController();
    const disconnected = environment
      .post('application/json', 'health', disconnecting.signal)
      .catch(() => 'disconnected');
    // Otherwise a request to a seller could arrive during the next test.
    await expect.poll(() => [moa.server.requests.length, mh.server.requests.length], { interval: 5 }).toEqual([1, 1]);
    expect((await environment.health()).pending).toBe(2);
    disconnecting.abort();
    expect(await disconnected).toBe('disconnected');
    await expect.poll(async () => (await environment.health()).pending, { interval: 5 }).toBe(0);
  });

  it('fails a leg immediately when its gateway is killed, and delivers the other', async () => {
    const { gateway } = environment.sandbox.search.mh;
    await gateway.setFault({ kind: 'black-hole' });
    gateway.clearRequests();
    const searching = environment.search();
    await expect.poll(() => gateway.requests.length, { interval: 2 }).toBe(1);
    await gateway.setFault({ kind: 'refuse' });
    const result = await searching;
    expect([result.mh, result.errors?.['mh']?.kind]).toEqual([null, 'bap_unreachable']);
    expect(result.moa?.context.domain).toBe('schemes:moa');
    expect(result.errors?.['mh']?.detail).toBe('the network responded with 502');
  });
});
