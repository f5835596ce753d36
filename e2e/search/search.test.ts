import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OnSearch, type SearchEnvironment, startSearchEnvironment } from './search-environment.ts';

let environment: SearchEnvironment;

beforeAll(async () => {
  // No test waits for either.
  environment = await startSearchEnvironment({ timeoutMs: 60_000, ackTimeoutMs: 60_000 });
});
afterEach(() => environment.heal());
afterAll(() => environment.close());

const ids = (leg: OnSearch | null) =>
  Object.values(leg?.message.catalog ?? {}).flatMap((providers) =>
    Array.isArray(providers) ? providers.flatMap(({ items }) => items as { readonly id: string }[]) : [],
  );

describe('one search on two networks', () => {
  it('gives both catalogs side by side', async () => {
    const answer = await environment.search();
    expect(answer.errors).toBeUndefined();
    expect(answer.moa?.context.domain).toBe('schemes:moa');
    expect(answer.mh?.context.domain).toBe('retail');
    expect(answer.moa?.message.catalog).toHaveProperty('providers');
    expect(answer.mh?.message.catalog).toHaveProperty('bpp/providers');
    expect(answer.traces['moa']?.transaction_id).toBe(answer.moa?.context.transaction_id);
    expect(answer.elapsed_ms).toBeGreaterThanOrEqual(answer.traces['mh']!.elapsed_ms);
    expect((await environment.health()).pending).toBe(0);
  });

  it('matches the name on the real leg, while the mock leg gives all it has', async () => {
    const [some, none] = [await environment.search('soil'), await environment.search('no such thing')];
    expect(ids(some.moa)).toHaveLength(1);
    expect(ids(none.moa)).toEqual([]);
    expect(ids(none.mh)).toEqual(ids(some.mh));
  });

  it('asks under fresh ids every time', async () => {
    const answers = await Promise.all([environment.search(), environment.search()]);
    const all = answers.flatMap(({ traces }) => Object.values(traces).map((trace) => trace.transaction_id));
    expect(new Set(all).size).toBe(4);
  });

  it('streams each leg as it settles, the faster one first', async () => {
    const { gateway } = environment.sandbox.search.mh;
    await gateway.setFault({ kind: 'black-hole' });
    const { body, headers } = await environment.post('text/event-stream');
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    const names: string[] = [];
    let text = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const seen = [...text.matchAll(/^event: (\w+)\ndata: (?:\{"leg":"(\w+)")?/gm)].map(
        ([, name, leg]) => leg ?? name!,
      );
      if (seen.length === 1 && names.length === 0) {
        expect((await environment.health()).pending).toBe(1);
        // The other leg settles only now: it fails.
        await gateway.setFault({ kind: 'refuse' });
      }
      names.splice(0, names.length, ...seen);
    }
    expect(names).toEqual(['moa', 'mh', 'done']);
  });

  it('is abandoned when the client leaves', async () => {
    const { moa, mh } = environment.sandbox.search;
    await Promise.all([moa.setBehaviour({ fault: 'silent' }), mh.setBehaviour({ fault: 'silent' })]);
    moa.server.clearRequests();
    mh.server.clearRequests();
    const leaving = new AbortController();
    const left = environment.post('application/json', 'health', leaving.signal).catch(() => 'left');
    // Otherwise a request on its way to a seller would arrive during the next test.
    await expect.poll(() => [moa.server.requests.length, mh.server.requests.length], { interval: 5 }).toEqual([1, 1]);
    expect((await environment.health()).pending).toBe(2);
    leaving.abort();
    expect(await left).toBe('left');
    await expect.poll(async () => (await environment.health()).pending, { interval: 5 }).toBe(0);
  });

  it('fails a leg at once when its gateway is killed on the way, and delivers the other', async () => {
    const { gateway } = environment.sandbox.search.mh;
    await gateway.setFault({ kind: 'black-hole' });
    gateway.clearRequests();
    const searching = environment.search();
    await expect.poll(() => gateway.requests.length, { interval: 2 }).toBe(1);
    await gateway.setFault({ kind: 'refuse' });
    const answer = await searching;
    expect([answer.mh, answer.errors?.['mh']?.kind]).toEqual([null, 'bap_unreachable']);
    expect(answer.moa?.context.domain).toBe('schemes:moa');
    expect(answer.errors?.['mh']?.detail).toBe('the network responded with 502');
  });
});
