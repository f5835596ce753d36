import type { ServerResponse } from 'node:http';
import { createServer } from '@portico/adapters-koa';
import {
  createSearchUseCases,
  type Json,
  type LegEvent,
  memoryCallbackExchange,
  type SearchSettings,
  type Signal,
} from '@portico/core';
import { aLeg, fakeClock, fakeIds, fakeSearchTransport } from '@portico/core/testing';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { porticoClient } from './index.ts';
import { listening, serveOther, succeeded } from './portico.test.support.ts';

const request = { persona: 'member', query: 'dental cover', user_id: 'u-1' };

/** Starts the search API on fakes. Each leg waits until the test settles its post. */
const serveSearch = async (settings: Partial<SearchSettings> = {}) => {
  const transport = fakeSearchTransport();
  const clock = fakeClock();
  const ports = { transport, exchange: memoryCallbackExchange(clock), clock, ids: fakeIds() };
  const useCases = createSearchUseCases(ports, { legs: [aLeg('moa'), aLeg('mh')], ...settings });
  const url = await listening(createServer(useCases));
  const post = (leg: string) => {
    const found = transport.posts.find((one) => one.leg.id === leg);
    if (!found) throw new Error(`Nothing was posted to ${leg}.`);
    return found;
  };
  return {
    client: porticoClient({ url }),
    useCases,
    clock,
    posts: transport.posts,
    deliver: (leg: string, callback: Json) => post(leg).respond(ok({ outcome: 'catalog', callback })),
    fail: (leg: string) => post(leg).respond(err({ kind: 'bap_unreachable', detail: 'refused' })),
  };
};

/** Has a number beyond a double, and whitespace. */
const text = '{ "message":{"catalog":{"n":12345678901234567890.10}} }';
const callback: Json = { text, value: JSON.parse(text) as unknown };

const legIds = async (legs: AsyncIterable<LegEvent>): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { leg } of legs) ids.push(leg);
  return ids;
};

describe('a search', () => {
  it('reports each callback of a leg that collects, as it arrives', async () => {
    const { client, useCases, posts, clock } = await serveSearch({
      legs: [aLeg('mh', { callbacks: { until: 'deadline' } })],
    });
    const { callbacks, legs, response } = succeeded(await client.search(request));
    const transaction_id = posts[0]!.envelope.context.transaction_id;
    const from = (bpp_id: string, rest: object) =>
      JSON.stringify({ context: { action: 'on_search', transaction_id, bpp_id, message_id: 'm-1' }, ...rest });
    const [good, bad] = [from('one', { message: {} }), from('two', { error: { code: '1', message: 'No stock' } })];
    const iterator = callbacks[Symbol.asyncIterator]();
    await useCases.receiveCallback({ text: good });
    expect(await iterator.next()).toMatchObject({ value: { leg: 'mh', bpp_id: 'one', result: JSON.parse(good) } });
    await useCases.receiveCallback({ text: bad });
    const error = { code: '1', message: 'No stock' };
    expect(await iterator.next()).toMatchObject({ value: { bpp_id: 'two', result: null, error } });
    clock.advance(10_000);
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
    expect(await legIds(legs)).toEqual(['mh']);
    expect(succeeded(await response).value).toMatchObject({
      mh: { responses: [JSON.parse(good)] },
      errors: { mh: { sellers: [{ bpp_id: 'two', message_id: 'm-1', ...error }] } },
      traces: { mh: { sellers: [{ bpp_id: 'one' }, { bpp_id: 'two' }] } },
    });
  });

  it('reports each leg as it settles, and returns the result byte for byte', async () => {
    const { client, deliver, fail } = await serveSearch();
    const { legs, response } = succeeded(await client.search(request));
    const iterator = legs[Symbol.asyncIterator]();
    fail('mh');
    expect(await iterator.next()).toMatchObject({
      value: { leg: 'mh', result: null, error: { kind: 'bap_unreachable', detail: 'refused' } },
    });
    deliver('moa', callback);
    expect(await iterator.next()).toMatchObject({ value: { leg: 'moa', result: callback.value } });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    const whole = succeeded(await response);
    expect(whole.text).toMatch(/^\{"elapsed_ms":0,"moa":\{ "message":/);
    expect(whole.text).toContain(`"moa":${text},"mh":null,"errors"`);
    expect(whole.value).toMatchObject({ errors: { mh: { kind: 'bap_unreachable' } }, traces: { moa: {}, mh: {} } });
  });

  it('returns its result without a reader of its legs, and replays the legs to late readers', async () => {
    const { client, deliver } = await serveSearch();
    const { legs, response } = succeeded(await client.search(request));
    deliver('mh', callback);
    deliver('moa', callback);
    expect(await response).toMatchObject({ value: { value: { moa: callback.value, mh: callback.value } } });
    const [first, again] = [await legIds(legs), await legIds(legs)];
    expect(first.toSorted()).toEqual(['mh', 'moa']);
    expect(again).toEqual(first);
  });

  it('a search is cancelled by its signal, and the server cancels its legs', async () => {
    const { client, posts } = await serveSearch();
    const controller = new AbortController();
    const { legs, response } = succeeded(await client.search(request, controller.signal));
    const cancelled = posts.map(
      ({ signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', resolve)),
    );
    expect(cancelled).toHaveLength(2);
    controller.abort();
    expect(await response).toEqual(err({ kind: 'cancelled' }));
    expect(await legIds(legs)).toEqual([]);
    await Promise.all(cancelled);
  });

  it.each([
    ['no request', undefined],
    ['an empty query', { ...request, query: ' ' }],
    ['an unknown persona', { ...request, persona: 'stranger' }],
  ])('a search is rejected with the failure of the use case: %s', async (_, input) => {
    const { client, useCases } = await serveSearch({ personas: ['member'] });
    const refused = await useCases.search(input);
    expect(refused).toMatchObject({ error: { kind: 'invalid' } });
    expect(await client.search(input)).toEqual(refused);
  });

  it('fails invalid when it cannot be written as JSON', async () => {
    const { client } = await serveSearch();
    expect(await client.search({ ...request, query: 1n })).toMatchObject({ error: { kind: 'invalid' } });
  });

  it('fails overloaded when too many searches are pending', async () => {
    const { client, useCases } = await serveSearch({ maxPending: 1 });
    const refused = await useCases.search(request);
    expect(refused).toMatchObject({ error: { kind: 'overloaded' } });
    expect(await client.search(request)).toEqual(refused);
  });
});

const trace = { transaction_id: 't-1', elapsed_ms: 12, label: 'One' };
const settled = `event: leg\ndata: ${JSON.stringify({ leg: 'moa', result: {}, trace })}\n\n`;
const whole = { elapsed_ms: 12, moa: {}, traces: { moa: trace } };
const done = `event: done\ndata: ${JSON.stringify(whole)}\n\n`;
const events = { 'content-type': 'text/event-stream; charset=utf-8' };

const startSearch = async (respond: (response: ServerResponse) => void, searchTimeoutMs?: number, signal?: Signal) => {
  const closed = Promise.withResolvers<void>();
  const { url } = await serveOther((_, response) => {
    response.once('close', closed.resolve);
    respond(response);
  });
  const started = await porticoClient({ url, ...(searchTimeoutMs && { searchTimeoutMs }) }).search(request, signal);
  return { started, closed: closed.promise };
};

describe('a search stream', () => {
  it.each([
    ['is interrupted', (response: ServerResponse) => void response.write(settled, () => response.destroy())],
    ['ends before the done event', (response: ServerResponse) => void response.end(settled)],
    ['ends in the middle of an event', (response: ServerResponse) => void response.end(settled + done.slice(0, -1))],
    ['ends in the middle of a line', (response: ServerResponse) => void response.end(settled + done.slice(0, -2))],
  ])('keeps the legs it has reported when it %s', async (_, respond) => {
    const { started } = await startSearch((response) => respond(response.writeHead(200, events)));
    const running = succeeded(started);
    expect(await running.response).toEqual(err({ kind: 'interrupted' }));
    expect(await legIds(running.legs)).toEqual(['moa']);
  });

  it.each([
    ['a leg event that is not JSON', 'event: leg\ndata: hunter2\n\n'],
    ['a leg event that is null', 'event: leg\ndata: null\n\n'],
    ['a leg event with an invalid trace', `event: leg\ndata: {"leg":"moa","trace":{}}\n\n`],
    [
      'a leg event with an invalid error',
      `event: leg\ndata: ${JSON.stringify({ leg: 'moa', trace, error: 'late' })}\n\n`,
    ],
    ['a done event that is not JSON', 'event: done\ndata: {"hunter2"\n\n'],
    ['an empty done event', 'event: done\ndata: {}\n\n'],
    ['a done event with an invalid trace', 'event: done\ndata: {"elapsed_ms":1,"traces":{"moa":null}}\n\n'],
    ['a done event with invalid errors', `event: done\ndata: ${JSON.stringify({ ...whole, errors: [1] })}\n\n`],
  ])('a search stream is cancelled after %s', async (_, event) => {
    const { started, closed } = await startSearch((response) => void response.writeHead(200, events).write(event));
    const { legs, response } = succeeded(started);
    expect(await response).toEqual(err({ kind: 'unexpected-response', status: 200 }));
    expect(await legIds(legs)).toEqual([]);
    await closed;
  });

  it('ignores unknown events, and is read to its end', async () => {
    const end = Promise.withResolvers<void>();
    let isWhole = false;
    const { started, closed } = await startSearch((response) => {
      response.once('finish', () => (isWhole = true));
      response
        .writeHead(200, events)
        .write(`: searching\n\nevent: hint\ndata: hunter2\n\ndata: x\n\n${settled}${done}`);
      void end.promise.then(() => response.end('event: more\ndata: 1\n\n'));
    });
    expect(await succeeded(started).response).toEqual(ok({ text: JSON.stringify(whole), value: whole }));
    // Gives the server time to see a disconnect, if there is one.
    const { url } = await serveOther((_, response) => response.end());
    for (let requests = 0; requests < 20; requests++) await porticoClient({ url }).listLegs();
    end.resolve();
    await closed;
    expect(isWhole).toBe(true);
  });

  it('times out at the search deadline', async () => {
    const { started, closed } = await startSearch(
      (response) => void response.writeHead(200, events).write(settled),
      1000,
    );
    const { legs, response } = succeeded(started);
    expect(await response).toEqual(err({ kind: 'timed-out' }));
    expect(await legIds(legs)).toEqual(['moa']);
    await closed;
  });

  it('a search stream is closed at the deadline when it stays open after the result, which is kept', async () => {
    const { started, closed } = await startSearch((response) => void response.writeHead(200, events).write(done), 1000);
    expect(await succeeded(started).response).toEqual(ok({ text: JSON.stringify(whole), value: whole }));
    await closed;
  });

  it('a search stream is closed by its signal when it stays open after the result, which is kept', async () => {
    const controller = new AbortController();
    const { started, closed } = await startSearch(
      (response) => void response.writeHead(200, events).write(done),
      undefined,
      controller.signal,
    );
    const { response } = succeeded(started);
    expect((await response).isOk()).toBe(true);
    controller.abort();
    await closed;
    expect((await response).isOk()).toBe(true);
  });

  it('a search stream is closed at the deadline even when fetch ignores its signal', async () => {
    const closed = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(new TextEncoder().encode(done)),
      cancel: () => closed.resolve(),
    });
    const fetch = async () => new Response(body, { headers: events });
    const client = porticoClient({ url: 'https://portico.example.org', fetch, searchTimeoutMs: 50 });
    expect((await succeeded(await client.search(request)).response).isOk()).toBe(true);
    await closed.promise;
  });

  it('fails unexpected-response when the response is not an event stream', async () => {
    const { started } = await startSearch((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
    });
    expect(started).toEqual(err({ kind: 'unexpected-response', status: 200 }));
  });
});

describe('the list of legs', () => {
  it('the list of legs has the legs of the server, without their private fields', async () => {
    const moa = aLeg('moa');
    const { client } = await serveSearch({ legs: [{ ...moa, extraContext: { country: 'hunter2' } }, aLeg('mh')] });
    expect(await client.listLegs()).toEqual(ok([moa, aLeg('mh')]));
  });

  it.each(['{}', '{"legs":[null]}', '{"legs":[{"id":"moa"}]}', '[]'])(
    'fails unexpected-response for %s',
    async (text) => {
      const { url } = await serveOther((_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      );
      expect(await porticoClient({ url }).listLegs()).toEqual(err({ kind: 'unexpected-response', status: 200 }));
    },
  );
});
