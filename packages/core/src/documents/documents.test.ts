import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { succeeds } from '../contract/assertions.ts';
import { CoreSignal } from '../runtime/signal.ts';
import { notFound, upstream } from '../shared/failure.ts';
import { toJson } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { fakeDocuments } from './documents.fake.ts';
import type { DocumentConditions, Documents } from './documents.port.ts';
import { getDocument, listDocuments } from './documents.ts';

const member = aMember('PTY-1');
const other = aMember('PTY-2');
const pdf = Uint8Array.from('%PDF-1.7 a document of forty bytes, say.', (character) => character.charCodeAt(0));
const records = () => fakeDocuments({ 'PTY-1': [{ locator: 'DOC-1', type: 'eob', pdf }], 'PTY-2': [] });

describe('listDocuments', () => {
  it('lists documents without their content', async () => {
    expect(await listDocuments(records())(member, [['type', 'eob']])).toEqual(
      ok(toJson({ documents: [{ locator: 'DOC-1', type: 'eob' }] })),
    );
  });

  it('rejects unknown query parameters', async () => {
    expect(await listDocuments(records())(member, [['owner', 'PTY-2']])).toMatchObject({
      error: { kind: 'invalid', errors: [{ path: '/owner' }] },
    });
  });
});

describe('a request that is cancelled', () => {
  it('fails before the response', async () => {
    const signal = new CoreSignal();
    signal.abort();
    expect(await getDocument(records())(member, 'DOC-1', {}, signal)).toEqual(
      err(upstream('documents', 'unreachable')),
    );
  });

  it('fails while the document is read', async () => {
    const signal = new CoreSignal();
    const large = fakeDocuments({ 'PTY-1': [{ locator: 'DOC-1', pdf: new Uint8Array(100_000) }] });
    const response = await succeeds(getDocument(large)(member, 'DOC-1', {}, signal));
    const chunks = 'content' in response ? response.content[Symbol.asyncIterator]() : undefined;
    expect((await chunks?.next())?.done).toBe(false);
    signal.abort();
    await expect(chunks?.next()).rejects.toThrow('cancelled');
  });
});

/** Returns the conditions that the document service receives for these conditions of the member. */
const forwarded = async (conditions: DocumentConditions): Promise<DocumentConditions> => {
  let received: DocumentConditions = {};
  const documents: Documents = {
    ...fakeDocuments(),
    get: (_, __, conditions) => {
      received = conditions;
      return okAsync({ outcome: 'not-modified', headers: {} });
    },
  };
  await getDocument(documents)(member, 'DOC-1', conditions);
  return received;
};

const lastModified = 'Fri, 02 Jan 2026 00:00:00 GMT';

describe('a document with a modification date', () => {
  const dated = fakeDocuments({ 'PTY-1': [{ locator: 'DOC-1', lastModified, pdf }] });
  const outcome = (conditions: DocumentConditions) =>
    getDocument(dated)(member, 'DOC-1', conditions).map(({ outcome }) => outcome);

  it.each([
    ['Thu, 01 Jan 2026 23:59:59 GMT', 'whole'],
    [lastModified, 'not-modified'],
    ['no date', 'whole'],
  ])('responds to If-Modified-Since: %s with %s', async (ifModifiedSince, expected) => {
    expect(await outcome({ ifModifiedSince })).toEqual(ok(expected));
  });

  it('ignores If-Modified-Since when there is an If-None-Match', async () => {
    expect(await outcome({ ifNoneMatch: '"other"', ifModifiedSince: 'Fri, 02 Jan 2026 00:00:00 GMT' })).toEqual(
      ok('whole'),
    );
  });
});

describe('getDocument', () => {
  it('hides a document that belongs to another member', async () => {
    expect(await getDocument(records())(other, 'DOC-1')).toEqual(err(notFound('documents')));
  });

  it.each(['', '..', 'DOC/1', 'x'.repeat(129)])('rejects the locator "%s"', async (locator) => {
    expect(await getDocument(records())(member, locator)).toMatchObject({
      error: { kind: 'invalid', errors: [{ path: '/locator' }] },
    });
  });

  it.each(['bytes=0-', 'bytes=0-0', 'bytes=5-14', 'bytes=10-', 'bytes=-500', 'Bytes=0-1', `bytes=0-${'9'.repeat(15)}`])(
    'forwards the single range %s',
    async (range) => {
      expect(await forwarded({ range, ifRange: '"tag"' })).toEqual({ range, ifRange: '"tag"' });
    },
  );

  it.each([
    'bytes=0-1,5-6',
    'bytes=0-1, bytes=5-6',
    'bytes=-',
    'bytes=',
    'bytes=a-b',
    'bytes= 0-1',
    'bytes=0 - 1',
    'pages=1-2',
    '0-1',
    '',
    `bytes=${'9'.repeat(16)}-`,
    'bytes=0-1\n',
  ])('requests the whole document when the range is "%s"', async (range) => {
    expect(await forwarded({ range, ifRange: '"tag"', ifNoneMatch: '"tag"' })).toEqual({ ifNoneMatch: '"tag"' });
  });

  it('forwards the conditions unchanged', async () => {
    const conditions = { ifNoneMatch: 'W/"a", "b"', ifModifiedSince: 'Thu, 01 Jan 2026 00:00:00 GMT' };
    expect(await forwarded(conditions)).toEqual(conditions);
    expect(await forwarded({})).toEqual({});
  });

  it('forwards a range without If-Range alone', async () => {
    expect(await forwarded({ range: 'bytes=0-1' })).toStrictEqual({ range: 'bytes=0-1' });
  });

  it('drops If-Range when there is no Range', async () => {
    expect(await forwarded({ ifRange: '"tag"' })).toEqual({});
  });
});
