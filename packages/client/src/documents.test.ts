import type { ServerResponse } from 'node:http';
import { type DocumentResponse, type Documents, notFound } from '@portico/core';
import { aMember, somePdf } from '@portico/core/testing';
import { err, okAsync } from 'neverthrow';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ClientFailure, DocumentInterruptedError, porticoClient } from './index.ts';
import { serveOther, servePortico, succeeded } from './portico.test.support.ts';

const begin = new TextEncoder().encode('%PDF-1.7 ');

/** A document service whose one document is this stream; it is told when its stream is let go of. */
const serveDocument = async (stream: () => AsyncGenerator<Uint8Array>, timeoutMs?: number) => {
  const discard = Promise.withResolvers<void>();
  const content = async function* () {
    try {
      yield* stream();
    } finally {
      discard.resolve();
    }
  };
  const get: Documents['get'] = () => okAsync({ outcome: 'whole', headers: {}, content: content() });
  const { clientOf } = await servePortico({ ports: { documents: { get } } });
  const client = clientOf('PTY-1', timeoutMs === undefined ? {} : { timeoutMs });
  return { client, discard: discard.promise };
};

const contentOf = async (answer: ReturnType<ReturnType<typeof porticoClient>['getDocument']>) => {
  const document: DocumentResponse = succeeded(await answer);
  if (!('content' in document)) throw new Error(`there is no content: ${document.outcome}`);
  return document.content;
};

/** What reading the content to its end throws. */
const endOf = async (content: AsyncIterable<Uint8Array>): Promise<unknown> => {
  try {
    for await (const chunk of content) expect(chunk.length).toBeGreaterThan(0);
  } catch (error) {
    return error;
  }
  return 'the end';
};

const never = () => new Promise<never>(() => {});

/** In chunks: 64 MiB, which is more than any buffer on the way. */
const longest = 1024;

async function* endless() {
  for (;;) yield new Uint8Array(65_536);
}

async function* stalled() {
  yield begin;
  await never();
}

describe('a document', () => {
  it('comes with what the document service said of it', async () => {
    const headers = {
      contentLength: '9',
      etag: '"v1"',
      lastModified: 'Sun, 22 Nov 2026 00:00:00 GMT',
      acceptRanges: 'bytes',
    };
    const get: Documents['get'] = () =>
      okAsync({
        outcome: 'whole',
        headers,
        content: (async function* () {
          yield begin;
        })(),
      });
    const { clientOf } = await servePortico({ ports: { documents: { get } } });
    const document = succeeded(await clientOf('PTY-1').getDocument('DOC-1'));
    expect(document).toMatchObject({ outcome: 'whole', headers });
    expect(await endOf('content' in document ? document.content : endless())).toBe('the end');
  });

  it.each([
    ['its tag is known already', { ifNoneMatch: '"DOC-1-40"' }, 'not-modified'],
    ['the range lies outside', { range: 'bytes=999-' }, 'range-not-satisfiable'],
  ])('is not sent when %s, and the answer is that of the use case', async (_, conditions, outcome) => {
    const { clientOf, use } = await servePortico();
    const answer = succeeded(await use.getDocument(aMember('PTY-1'), 'DOC-1', conditions));
    expect(answer.outcome).toBe(outcome);
    expect(succeeded(await clientOf('PTY-1').getDocument('DOC-1', conditions))).toEqual(answer);
  });

  it('is asked for with the conditions that were given', async () => {
    const given: object[] = [];
    const get: Documents['get'] = (_, _locator, conditions) => {
      given.push(conditions);
      return okAsync({ outcome: 'not-modified', headers: { etag: '"v1"' } });
    };
    const conditions = {
      range: 'bytes=0-8',
      ifRange: '"v1"',
      ifNoneMatch: '"v1", W/"v2"',
      ifModifiedSince: 'Sun, 22 Nov 2026 00:00:00 GMT',
    };
    const { clientOf } = await servePortico({ ports: { documents: { get } } });
    expect(await clientOf('PTY-1').getDocument('DOC-1', conditions)).toEqual(
      expect.objectContaining({ value: { outcome: 'not-modified', headers: { etag: '"v1"' } } }),
    );
    expect(given).toEqual([conditions]);
  });

  it('is downloaded as a Blob', async () => {
    const { clientOf } = await servePortico();
    const blob = succeeded(await clientOf('PTY-1').getDocumentBlob('DOC-1'));
    expect([blob.type, await blob.bytes()]).toEqual(['application/pdf', somePdf]);
  });

  it('fails as a Blob like the document that it would hold', async () => {
    const { clientOf } = await servePortico();
    expect(await clientOf('PTY-2').getDocumentBlob('DOC-1')).toEqual(err(notFound('documents')));
    const { client } = await serveDocument(async function* () {
      yield begin;
      throw new Error('the service broke off');
    });
    expect(await client.getDocumentBlob('DOC-1')).toEqual(err({ kind: 'interrupted' }));
  });

  it('is given up as a Blob with its signal', async () => {
    const { client } = await serveDocument(stalled);
    const controller = new AbortController();
    const blob = client.getDocumentBlob('DOC-1', controller.signal);
    controller.abort();
    expect(await blob).toEqual(err({ kind: 'given-up' }));
  });

  it('is read no faster than it is consumed', async () => {
    let pulled = 0;
    const { client, discard } = await serveDocument(async function* () {
      for await (const chunk of endless()) {
        if (pulled++ === longest) return;
        yield chunk;
      }
    });
    const content = (await contentOf(client.getDocument('DOC-1')))[Symbol.asyncIterator]();
    await content.next();
    // Until what is on the way has come to rest: buffers of the system hold some of it.
    for (let still = 0, before = 0; still < 20; still = pulled === before ? still + 1 : 0) {
      before = pulled;
      await client.getCoverage();
    }
    expect(pulled).toBeLessThan(longest);
    await content.return?.();
    await discard;
  });

  it('is let go of by whoever stops reading', async () => {
    const { client, discard } = await serveDocument(endless);
    for await (const chunk of await contentOf(client.getDocument('DOC-1'))) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await discard;
  });

  it('is let go of by whoever does not begin to read', async () => {
    const { client, discard } = await serveDocument(endless);
    const content = (await contentOf(client.getDocument('DOC-1')))[Symbol.asyncIterator]();
    expect(await content.return?.()).toEqual({ done: true, value: undefined });
    expect(await content.next()).toEqual({ done: true, value: undefined });
    await discard;
  });

  it('is let go of while bytes are waited for', async () => {
    const { client } = await serveDocument(stalled);
    const content = (await contentOf(client.getDocument('DOC-1')))[Symbol.asyncIterator]();
    await content.next();
    const waiting = content.next();
    await content.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it.each([
    [
      'the document service breaks off',
      async function* () {
        yield begin;
        throw Object.assign(new Error('hunter2'), { code: 'ERR_DOWNSTREAM_BROKE_OFF' });
      },
      { kind: 'interrupted' },
    ],
    ['no byte comes for as long as the deadline', stalled, { kind: 'timed-out' }],
  ] as const)('ends with an error that says why, when %s', async (_, stream, failure: ClientFailure) => {
    const { client } = await serveDocument(stream, 200);
    const error = await endOf(await contentOf(client.getDocument('DOC-1')));
    expect(error).toBeInstanceOf(DocumentInterruptedError);
    expect(error).toMatchObject({ failure, message: `The document broke off: ${failure.kind}.` });
  });

  it('has a deadline for each part, also when two are asked for at once', async () => {
    const { client } = await serveDocument(stalled, 200);
    const content = (await contentOf(client.getDocument('DOC-1')))[Symbol.asyncIterator]();
    expect(await Promise.allSettled([content.next(), content.next(), content.next()])).toMatchObject([
      { status: 'fulfilled', value: { done: false } },
      { status: 'rejected', reason: { failure: { kind: 'timed-out' } } },
      { status: 'fulfilled', value: { done: true } },
    ]);
  });

  it('is not timed while its reader takes longer than the deadline', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { client } = await serveDocument(async function* () {
      yield begin;
      yield begin;
    }, 1000);
    const content = await contentOf(client.getDocument('DOC-1'));
    vi.advanceTimersByTime(10_000);
    await content[Symbol.asyncIterator]().next();
    vi.advanceTimersByTime(10_000);
    expect(await endOf(content)).toBe('the end');
  });

  it('is given up by its signal, also in the middle', async () => {
    const { client, discard } = await serveDocument(endless);
    const controller = new AbortController();
    const content = await contentOf(client.getDocument('DOC-1', {}, controller.signal));
    await content[Symbol.asyncIterator]().next();
    controller.abort();
    expect(await endOf(content)).toMatchObject({ failure: { kind: 'given-up' } });
    await discard;
  });
});

describe('an answer that is no document', () => {
  const html = { 'content-type': 'text/html' };
  const pdf = { 'content-type': 'application/pdf' };

  it.each([
    ['a page', (response: ServerResponse) => response.writeHead(200, html).end('<p>hunter2</p>'), 200],
    ['nothing', (response: ServerResponse) => response.writeHead(204).end(), 204],
    ['a part that nobody asked for', (response: ServerResponse) => response.writeHead(206, pdf).end('%PDF'), 206],
    ['no such part, which nobody asked for', (response: ServerResponse) => response.writeHead(416).end(), 416],
    ['"not modified" that nobody asked about', (response: ServerResponse) => response.writeHead(304).end(), 304],
  ])('is known as such: %s', async (_, answer, status) => {
    const { url } = await serveOther((_, response) => answer(response));
    expect(await porticoClient({ url }).getDocument('DOC-1')).toEqual(err({ kind: 'unexpected-response', status }));
  });
});
