import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCaller } from './client.ts';
import { partReader } from './page-reads.ts';

let sent: string[];
/** What the server returns, by path. */
let replies: Record<string, Response>;
let refused: number;

/** The event stream of `GET /me`, written by the test. */
const stream = () => {
  let write!: (text: string) => void;
  let end!: () => void;
  const body = new ReadableStream({
    start: (controller) => {
      write = (text) => controller.enqueue(new TextEncoder().encode(text));
      end = () => controller.close();
    },
  });
  const headers = { 'Content-Type': 'text/event-stream', 'X-Request-Id': 'PAGE-1' };
  replies['/me'] = new Response(body, { headers });
  return {
    part: (part: object) => write(`event: part\ndata: ${JSON.stringify(part)}\n\n`),
    done: () => {
      write('event: done\ndata: {"partial":false}\n\n');
      end();
    },
    end,
  };
};

const reader = () => partReader(createCaller('', { session: true }, () => (refused += 1)));

const read = (readPart: ReturnType<typeof reader>, name: string) =>
  readPart(name, async () => {
    sent.push(`${name} alone`);
    return { text: '"alone"', value: 'alone' };
  }).then(({ value }) => value);

beforeEach(() => {
  [sent, replies, refused] = [[], {}, 0];
  vi.stubGlobal('window', { location: { origin: 'http://127.0.0.1' } });
  vi.stubGlobal('fetch', async (url: string) => {
    const { pathname, search } = new URL(url);
    sent.push(pathname + decodeURIComponent(search));
    return replies[pathname] ?? Response.json({ code: 'no-such-route' }, { status: 404 });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('parts that are requested at the same time', () => {
  it('are read with one request, and each is there as soon as it is read', async () => {
    const page = stream();
    const readPart = reader();
    const [coverage, claims] = [read(readPart, 'coverage'), read(readPart, 'claims')];
    page.part({ name: 'claims', status: 200, body: { claims: [] } });
    expect(await claims).toEqual({ claims: [] });
    page.part({ name: 'coverage', status: 200, body: { status: 'active' } });
    expect(await coverage).toEqual({ status: 'active' });
    page.done();
    expect(sent).toEqual(['/me?include=coverage,claims']);
  });

  it('fail one by one, with the reference of the request', async () => {
    const page = stream();
    const readPart = reader();
    const both = Promise.allSettled([read(readPart, 'coverage'), read(readPart, 'claims')]);
    page.part({ name: 'coverage', status: 502, problem: { code: 'upstream-failure', service: 'eligibility' } });
    page.part({ name: 'claims', status: 200, body: {} });
    page.done();
    const [coverage, claims] = await both;
    expect(coverage).toMatchObject({ status: 'rejected', reason: { reference: 'PAGE-1' } });
    expect(claims).toEqual({ status: 'fulfilled', value: {} });
  });

  it('fail if the response ends before them', async () => {
    const page = stream();
    const readPart = reader();
    const both = Promise.allSettled([read(readPart, 'coverage'), read(readPart, 'claims')]);
    page.part({ name: 'claims', status: 200, body: {} });
    page.end();
    const [coverage, claims] = await both;
    expect(coverage).toMatchObject({ reason: { failure: { kind: 'interrupted' }, reference: 'PAGE-1' } });
    expect(claims).toEqual({ status: 'fulfilled', value: {} });
  });

  it('are read by their own routes if Portico has no such page', async () => {
    const readPart = reader();
    expect(await Promise.all([read(readPart, 'coverage'), read(readPart, 'claims')])).toEqual(['alone', 'alone']);
    expect(sent).toEqual(['/me?include=coverage,claims', 'coverage alone', 'claims alone']);
  });

  it('are refused once', async () => {
    replies['/me'] = Response.json({ code: 'unauthenticated' }, { status: 401 });
    const readPart = reader();
    const both = await Promise.allSettled([read(readPart, 'coverage'), read(readPart, 'claims')]);
    expect([both.map(({ status }) => status), refused]).toEqual([['rejected', 'rejected'], 1]);
  });
});

it('a part that is requested alone is read by its own route, also while a page is read', async () => {
  const page = stream();
  const readPart = reader();
  const first = [read(readPart, 'coverage'), read(readPart, 'claims')];
  page.part({ name: 'coverage', status: 200, body: {} });
  await first[0];
  expect(await read(readPart, 'coverage')).toBe('alone');
  page.part({ name: 'claims', status: 200, body: {} });
  page.done();
  await first[1];
  expect(sent).toEqual(['/me?include=coverage,claims', 'coverage alone']);
});

it('a part whose token has expired is read by its own route, whose response ends the session', async () => {
  const page = stream();
  const readPart = reader();
  const both = [read(readPart, 'coverage'), read(readPart, 'claims')];
  page.part({ name: 'coverage', status: 401, problem: { code: 'unauthenticated' } });
  page.part({ name: 'claims', status: 200, body: {} });
  page.done();
  expect(await Promise.all(both)).toEqual(['alone', {}]);
});
