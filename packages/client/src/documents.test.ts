import type { ServerResponse } from 'node:http';
import { type DocumentResponse, type Documents, notFound } from '@portico/core';
import { aMember, somePdf } from '@portico/core/testing';
import { err, okAsync } from 'neverthrow';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ClientFailure, DocumentInterruptedError, porticoClient } from './index.ts';
import { serveOther, servePortico, succeeded } from './portico.test.support.ts';

const begin = new TextEncoder().encode('%PDF-1.7 ');

/** Serves one document with this content. `discarded` resolves when the server has released the content. */
const serveDocument = async (stream: () => AsyncGenerator<Uint8Array>, timeoutMs?: number) => {
  const discarded = Promise.withResolvers<void>();
  const content = async function* () {
    try {
      yield* stream();
    } finally {
      discarded.resolve();
    }
  };
  const get: Documents['get'] = () => okAsync({ outcome: 'whole', headers: {}, content: content() });
  const { clientOf } = await servePortico({ ports: { documents: { get } } });
  const client = clientOf('PTY-1', timeoutMs === undefined ? {} : { timeoutMs });
  return { client, discarded: discarded.promise };
};

const contentOf = async (result: ReturnType<ReturnType<typeof porticoClient>['getDocument']>) => {
  const document: DocumentResponse = succeeded(await result);
  if (!('content' in document)) throw new Error(`There is no content: ${document.outcome}`);
  return document.content;
};

/** Reads the content to its end, and returns what it throws. */
const endOf = async (content: AsyncIterable<Uint8Array>): Promise<unknown> => {
  try {
    for await (const chunk of content) expect(chunk.length).toBeGreaterThan(0);
  } catch (error) {
    return error;
  }
  return 'the end';
};

const never = () => new Promise<never>(() => {});

/** 64 MiB in chunks: more than all buffers between server and client. */
const maxChunks = 1024;

async function* endless() {
  for (;;) yield new Uint8Array(65_536);
}

async function* stalled() {
  yield begin;
  await never();
}

describe('a document', () => {
  it('a document has the headers of the document service', async () => {
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
    ['its entity tag matches', { ifNoneMatch: '"DOC-1-40"' }, 'not-modified'],
    ['the range is outside the document', { range: 'bytes=999-' }, 'range-not-satisfiable'],
  ])('a document is not sent when %s, as in the use case', async (_, conditions, outcome) => {
    const { clientOf, useCases } = await servePortico();
    const expected = succeeded(await useCases.getDocument(aMember('PTY-1'), 'DOC-1', conditions));
    expect(expected.outcome).toBe(outcome);
    expect(succeeded(await clientOf('PTY-1').getDocument('DOC-1', conditions))).toEqual(expected);
  });

  it('a document is requested with the conditions of the caller', async () => {
    const received: object[] = [];
    const get: Documents['get'] = (_, _locator, conditions) => {
      received.push(conditions);
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
    expect(received).toEqual([conditions]);
  });

  it('a document is downloaded as a Blob', async () => {
    const { clientOf } = await servePortico();
    const blob = succeeded(await clientOf('PTY-1').getDocumentBlob('DOC-1'));
    expect([blob.type, await blob.bytes()]).toEqual(['application/pdf', somePdf]);
  });

  it('fails as a Blob when it is missing or interrupted', async () => {
    const { clientOf } = await servePortico();
    expect(await clientOf('PTY-2').getDocumentBlob('DOC-1')).toEqual(err(notFound('documents')));
    const { client } = await serveDocument(async function* () {
      yield begin;
      throw new Error('The service failed.');
    });
    expect(await client.getDocumentBlob('DOC-1')).toEqual(err({ kind: 'interrupted' }));
  });

  it('a document is cancelled as a Blob by its signal', async () => {
    const { client } = await serveDocument(stalled);
    const controller = new AbortController();
    const blob = client.getDocumentBlob('DOC-1', controller.signal);
    controller.abort();
    expect(await blob).toEqual(err({ kind: 'cancelled' }));
  });

  it('a document times out as a Blob', async () => {
    const { client } = await serveDocument(stalled, 1000);
    expect(await client.getDocumentBlob('DOC-1')).toEqual(err({ kind: 'timed-out' }));
  });

  it('a document is read no faster than it is consumed', async () => {
    let pulled = 0;
    const { client, discarded } = await serveDocument(async function* () {
      for await (const chunk of endless()) {
        if (pulled++ === maxChunks) return;
        yield chunk;
      }
    });
    const content = (await contentOf(client.getDocument('DOC-1')))[Symbol.asyncIterator]();
    await content.next();
    // Waits until the system's buffers are full and the server reads no more.
    for (let unchanged = 0, before = 0; unchanged < 20; unchanged = pulled === before ? unchanged + 1 : 0) {
      before = pulled;
      await client.getCoverage();
    }
    expect(pulled).toBeLessThan(maxChunks);
    await content.return?.();
    await discarded;
  });

  it('a document is discarded when its reader stops early', async () => {
    const { client, discarded } = await serveDocument(endless);
    for await (const chunk of await contentOf(client.getDocument('DOC-1'))) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await discarded;
  });

  it('a document is discarded when its reader returns before the first read', async () => {
    const { client, discarded } = await serveDocument(endless);
    const content = (await contentOf(client.getDocument('DOC-1')))[Symbol.asyncIterator]();
    expect(await content.return?.()).toEqual({ done: true, value: undefined });
    expect(await content.next()).toEqual({ done: true, value: undefined });
    await discarded;
  });

  it('ends a pending read when its reader returns', async () => {
    const { client } = await serveDocument(stalled);
    const content = (await contentOf(client.getDocument('DOC-1')))[Symbol.asyncIterator]();
    await content.next();
    const waiting = content.next();
    await content.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it.each([
    [
      'the document service fails midway',
      async function* () {
        yield begin;
        throw Object.assign(new Error('hunter2'), { code: 'ERR_DOWNSTREAM_BROKE_OFF' });
      },
      { kind: 'interrupted' },
    ],
    ['no byte arrives within the deadline', stalled, { kind: 'timed-out' }],
  ] as const)('throws an error with the reason when %s', async (_, stream, failure: ClientFailure) => {
    const { client } = await serveDocument(stream, 1000);
    const error = await endOf(await contentOf(client.getDocument('DOC-1')));
    expect(error).toBeInstanceOf(DocumentInterruptedError);
    expect(error).toMatchObject({ failure, message: `The document download failed: ${failure.kind}.` });
  });

  it('a document has a deadline for each read, also when reads are concurrent', async () => {
    const { client } = await serveDocument(stalled, 1000);
    const content = (await contentOf(client.getDocument('DOC-1')))[Symbol.asyncIterator]();
    expect(await Promise.allSettled([content.next(), content.next(), content.next()])).toMatchObject([
      { status: 'fulfilled', value: { done: false } },
      { status: 'rejected', reason: { failure: { kind: 'timed-out' } } },
      { status: 'fulfilled', value: { done: true } },
    ]);
  });

  it('does not time out while its reader pauses', async () => {
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

  it('a document is cancelled midway by its signal', async () => {
    const { client, discarded } = await serveDocument(endless);
    const controller = new AbortController();
    const content = await contentOf(client.getDocument('DOC-1', {}, controller.signal));
    await content[Symbol.asyncIterator]().next();
    controller.abort();
    expect(await endOf(content)).toMatchObject({ failure: { kind: 'cancelled' } });
    await discarded;
  });
});

describe('a response that is not a document', () => {
  const html = { 'content-type': 'text/html' };
  const pdf = { 'content-type': 'application/pdf' };

  it.each([
    ['an HTML page', (response: ServerResponse) => response.writeHead(200, html).end('<p>hunter2</p>'), 200],
    ['no content', (response: ServerResponse) => response.writeHead(204).end(), 204],
    ['an unrequested part', (response: ServerResponse) => response.writeHead(206, pdf).end('%PDF'), 206],
    ['an unexpected 416', (response: ServerResponse) => response.writeHead(416).end(), 416],
    ['an unexpected 304', (response: ServerResponse) => response.writeHead(304).end(), 304],
  ])('fails unexpected-response: %s', async (_, respond, status) => {
    const { url } = await serveOther((_, response) => respond(response));
    expect(await porticoClient({ url }).getDocument('DOC-1')).toEqual(err({ kind: 'unexpected-response', status }));
  });
});
