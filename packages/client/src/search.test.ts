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

/** The search half on fakes: each leg waits until the test says how its post went. */
const serveSearch = async (settings: Partial<SearchSettings> = {}) => {
  const transport = fakeSearchTransport();
  const clock = fakeClock();
  const ports = { transport, exchange: memoryCallbackExchange(clock), clock, ids: fakeIds() };
  const use = createSearchUseCases(ports, { legs: [aLeg('moa'), aLeg('mh')], ...settings });
  const url = await listening(createServer(use));
  const post = (leg: string) => {
    const found = transport.posts.find((one) => one.leg.id === leg);
    if (!found) throw new Error(`nothing was posted to ${leg}`);
    return found;
  };
  return {
    client: porticoClient({ url }),
    use,
    clock,
    posts: transport.posts,
    deliver: (leg: string, callback: Json) => post(leg).answer(ok({ outcome: 'catalog', callback })),
    fail: (leg: string) => post(leg).answer(err({ kind: 'bap_unreachable', detail: 'refused' })),
  };
};

/** Digits beyond a double, and blanks. */
const text = '{ "message":{"catalog":{"n":12345678901234567890.10}} }';
const callback: Json = { text, value: JSON.parse(text) as unknown };

const heardIn = async (legs: AsyncIterable<LegEvent>): Promise<readonly string[]> => {
  const heard: string[] = [];
  for await (const { leg } of legs) heard.push(leg);
  return heard;
};

describe('a search', () => {
  it('tells of each leg as it settles, and gives the whole answer as it was written', async () => {
    const { client, deliver, fail } = await serveSearch();
    const { legs, answer } = succeeded(await client.search(request));
    const heard = legs[Symbol.asyncIterator]();
    fail('mh');
    expect(await heard.next()).toMatchObject({
      value: { leg: 'mh', result: null, error: { kind: 'bap_unreachable', detail: 'refused' } },
    });
    deliver('moa', callback);
    expect(await heard.next()).toMatchObject({ value: { leg: 'moa', result: callback.value } });
    expect(await heard.next()).toEqual({ done: true, value: undefined });
    const whole = succeeded(await answer);
    expect(whole.text).toMatch(/^\{"elapsed_ms":0,"moa":\{ "message":/);
    expect(whole.text).toContain(`"moa":${text},"mh":null,"errors"`);
    expect(whole.value).toMatchObject({ errors: { mh: { kind: 'bap_unreachable' } }, traces: { moa: {}, mh: {} } });
  });

  it('gives its answer to whoever listens to no leg, and the legs to whoever listens late', async () => {
    const { client, deliver } = await serveSearch();
    const { legs, answer } = succeeded(await client.search(request));
    deliver('mh', callback);
    deliver('moa', callback);
    expect(await answer).toMatchObject({ value: { value: { moa: callback.value, mh: callback.value } } });
    const [first, again] = [await heardIn(legs), await heardIn(legs)];
    expect(first.toSorted()).toEqual(['mh', 'moa']);
    expect(again).toEqual(first);
  });

  it('is given up by its signal, and the server gives up its legs', async () => {
    const { client, posts } = await serveSearch();
    const controller = new AbortController();
    const { legs, answer } = succeeded(await client.search(request, controller.signal));
    const abandoned = posts.map(
      ({ signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', resolve)),
    );
    expect(abandoned).toHaveLength(2);
    controller.abort();
    expect(await answer).toEqual(err({ kind: 'given-up' }));
    expect(await heardIn(legs)).toEqual([]);
    await Promise.all(abandoned);
  });

  it.each([
    ['nothing', undefined],
    ['an empty query', { ...request, query: ' ' }],
    ['a persona that is none', { ...request, persona: 'stranger' }],
  ])('is refused as by the use case: %s', async (_, asked) => {
    const { client, use } = await serveSearch({ personas: ['member'] });
    const refused = await use.search(asked);
    expect(refused).toMatchObject({ error: { kind: 'invalid' } });
    expect(await client.search(asked)).toEqual(refused);
  });

  it('is refused when it cannot be written as JSON', async () => {
    const { client } = await serveSearch();
    expect(await client.search({ ...request, query: 1n })).toMatchObject({ error: { kind: 'invalid' } });
  });

  it('is told to come back later when too many wait', async () => {
    const { client, use } = await serveSearch({ maxPending: 1 });
    const refused = await use.search(request);
    expect(refused).toMatchObject({ error: { kind: 'overloaded' } });
    expect(await client.search(request)).toEqual(refused);
  });
});

const trace = { transaction_id: 't-1', elapsed_ms: 12, label: 'One' };
const settled = `event: leg\ndata: ${JSON.stringify({ leg: 'moa', result: {}, trace })}\n\n`;
const whole = { elapsed_ms: 12, moa: {}, traces: { moa: trace } };
const done = `event: done\ndata: ${JSON.stringify(whole)}\n\n`;
const events = { 'content-type': 'text/event-stream; charset=utf-8' };

const searching = async (answer: (response: ServerResponse) => void, searchTimeoutMs?: number, signal?: Signal) => {
  const left = Promise.withResolvers<void>();
  const { url } = await serveOther((_, response) => {
    response.once('close', left.resolve);
    answer(response);
  });
  const started = await porticoClient({ url, ...(searchTimeoutMs && { searchTimeoutMs }) }).search(request, signal);
  return { started, left: left.promise };
};

describe('the stream of a search', () => {
  it.each([
    ['breaks off', (response: ServerResponse) => void response.write(settled, () => response.destroy())],
    ['ends before it is done', (response: ServerResponse) => void response.end(settled)],
    ['ends in the middle of an event', (response: ServerResponse) => void response.end(settled + done.slice(0, -1))],
    ['ends in the middle of a line', (response: ServerResponse) => void response.end(settled + done.slice(0, -2))],
  ])('keeps what it told until it %s', async (_, answer) => {
    const { started } = await searching((response) => answer(response.writeHead(200, events)));
    const running = succeeded(started);
    expect(await running.answer).toEqual(err({ kind: 'interrupted' }));
    expect(await heardIn(running.legs)).toEqual(['moa']);
  });

  it.each([
    ['garbage of a leg', 'event: leg\ndata: hunter2\n\n'],
    ['nothing of a leg', 'event: leg\ndata: null\n\n'],
    ['of a leg what is no trace', `event: leg\ndata: {"leg":"moa","trace":{}}\n\n`],
    ['of a leg what is no error', `event: leg\ndata: ${JSON.stringify({ leg: 'moa', trace, error: 'late' })}\n\n`],
    ['garbage in the end', 'event: done\ndata: {"hunter2"\n\n'],
    ['nothing in the end', 'event: done\ndata: {}\n\n'],
    ['in the end what is no trace', 'event: done\ndata: {"elapsed_ms":1,"traces":{"moa":null}}\n\n'],
    ['in the end what is no error', `event: done\ndata: ${JSON.stringify({ ...whole, errors: [1] })}\n\n`],
  ])('is let go of when it says %s', async (_, event) => {
    const { started, left } = await searching((response) => void response.writeHead(200, events).write(event));
    const { legs, answer } = succeeded(started);
    expect(await answer).toEqual(err({ kind: 'unexpected-response', status: 200 }));
    expect(await heardIn(legs)).toEqual([]);
    await left;
  });

  it('may say what we do not know, and is read to its end', async () => {
    const end = Promise.withResolvers<void>();
    let isWhole = false;
    const { started, left } = await searching((response) => {
      response.once('finish', () => (isWhole = true));
      response
        .writeHead(200, events)
        .write(`: searching\n\nevent: hint\ndata: hunter2\n\ndata: x\n\n${settled}${done}`);
      void end.promise.then(() => response.end('event: more\ndata: 1\n\n'));
    });
    expect(await succeeded(started).answer).toEqual(ok({ text: JSON.stringify(whole), value: whole }));
    // Time enough for the server to see us leave, if we did.
    const { url } = await serveOther((_, response) => response.end());
    for (let asked = 0; asked < 20; asked++) await porticoClient({ url }).listLegs();
    end.resolve();
    await left;
    expect(isWhole).toBe(true);
  });

  it('is waited for until the deadline of a search', async () => {
    const { started, left } = await searching((response) => void response.writeHead(200, events).write(settled), 200);
    const { legs, answer } = succeeded(started);
    expect(await answer).toEqual(err({ kind: 'timed-out' }));
    expect(await heardIn(legs)).toEqual(['moa']);
    await left;
  });

  it('that stays open after its answer is let go of at the deadline, and the answer stays', async () => {
    const { started, left } = await searching((response) => void response.writeHead(200, events).write(done), 200);
    expect(await succeeded(started).answer).toEqual(ok({ text: JSON.stringify(whole), value: whole }));
    await left;
  });

  it('that stays open after its answer is let go of when its caller gives up, and the answer stays', async () => {
    const controller = new AbortController();
    const { started, left } = await searching(
      (response) => void response.writeHead(200, events).write(done),
      undefined,
      controller.signal,
    );
    const { answer } = succeeded(started);
    expect((await answer).isOk()).toBe(true);
    controller.abort();
    await left;
    expect((await answer).isOk()).toBe(true);
  });

  it('is let go of at the deadline also where the given fetch does not listen to its signal', async () => {
    const left = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(new TextEncoder().encode(done)),
      cancel: () => left.resolve(),
    });
    const fetch = async () => new Response(body, { headers: events });
    const client = porticoClient({ url: 'https://portico.example.org', fetch, searchTimeoutMs: 50 });
    expect((await succeeded(await client.search(request)).answer).isOk()).toBe(true);
    await left.promise;
  });

  it('is none where there is no stream of events', async () => {
    const { started } = await searching((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
    });
    expect(started).toEqual(err({ kind: 'unexpected-response', status: 200 }));
  });
});

describe('the legs', () => {
  it('are those of the server, without what is not public', async () => {
    const moa = aLeg('moa');
    const { client } = await serveSearch({ legs: [{ ...moa, extraContext: { country: 'hunter2' } }, aLeg('mh')] });
    expect(await client.listLegs()).toEqual(ok([moa, aLeg('mh')]));
  });

  it.each(['{}', '{"legs":[null]}', '{"legs":[{"id":"moa"}]}', '[]'])('are not read out of %s', async (text) => {
    const { url } = await serveOther((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(text),
    );
    expect(await porticoClient({ url }).listLegs()).toEqual(err({ kind: 'unexpected-response', status: 200 }));
  });
});
