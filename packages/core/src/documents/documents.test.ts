import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { notFound } from '../shared/failure.ts';
import { toJson } from '../shared/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { documentsContract } from './documents.contract.ts';
import { fakeDocuments } from './documents.fake.ts';
import type { DocumentConditions, DocumentLocator, Documents } from './documents.port.ts';
import { getDocument, listDocuments } from './documents.ts';

const member = aMember('PTY-1');
const other = aMember('PTY-2');
const pdf = Uint8Array.from('%PDF-1.7 a document of forty bytes, say.', (character) => character.charCodeAt(0));
const records = () => fakeDocuments({ 'PTY-1': [{ locator: 'DOC-1', type: 'eob', pdf }], 'PTY-2': [] });

documentsContract({ describe, it }, () => ({
  documents: records(),
  member,
  document: 'DOC-1' as DocumentLocator,
  other,
}));

describe('listing documents', () => {
  it('says what there is without the documents themselves', async () => {
    expect(await listDocuments(records())(member, [['type', 'eob']])).toEqual(
      ok(toJson({ documents: [{ locator: 'DOC-1', type: 'eob' }] })),
    );
  });

  it('refuses parameters that lists do not relay', async () => {
    expect(await listDocuments(records())(member, [['owner', 'PTY-2']])).toMatchObject({
      error: { kind: 'invalid', errors: [{ path: '/owner' }] },
    });
  });
});

/** What a document service is asked for, given what the member asked for. */
const asked = async (conditions: DocumentConditions): Promise<DocumentConditions> => {
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
  ])('asked for if modified since %s is %s', async (ifModifiedSince, expected) => {
    expect(await outcome({ ifModifiedSince })).toEqual(ok(expected));
  });

  it('goes by the entity tag where there is one', async () => {
    expect(await outcome({ ifNoneMatch: '"other"', ifModifiedSince: 'Fri, 02 Jan 2026 00:00:00 GMT' })).toEqual(
      ok('whole'),
    );
  });
});

describe('reading a document', () => {
  it('hides a document that belongs to someone else', async () => {
    expect(await getDocument(records())(other, 'DOC-1')).toEqual(err(notFound('documents')));
  });

  it.each(['', '..', 'DOC/1', 'x'.repeat(129)])('refuses the locator "%s"', async (locator) => {
    expect(await getDocument(records())(member, locator)).toMatchObject({
      error: { kind: 'invalid', errors: [{ path: '/locator' }] },
    });
  });

  it.each(['bytes=0-', 'bytes=0-0', 'bytes=5-14', 'bytes=-500', 'Bytes=0-1', `bytes=0-${'9'.repeat(15)}`])(
    'asks for the single range %s',
    async (range) => {
      expect(await asked({ range, ifRange: '"tag"' })).toEqual({ range, ifRange: '"tag"' });
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
  ])('asks for the whole document when the range is "%s"', async (range) => {
    expect(await asked({ range, ifRange: '"tag"', ifNoneMatch: '"tag"' })).toEqual({ ifNoneMatch: '"tag"' });
  });

  it('passes the conditions on as the member stated them', async () => {
    const conditions = { ifNoneMatch: 'W/"a", "b"', ifModifiedSince: 'Thu, 01 Jan 2026 00:00:00 GMT' };
    expect(await asked(conditions)).toEqual(conditions);
    expect(await asked({})).toEqual({});
  });

  it('does not let a condition stand for a range that is not there', async () => {
    expect(await asked({ ifRange: '"tag"' })).toEqual({});
  });
});
