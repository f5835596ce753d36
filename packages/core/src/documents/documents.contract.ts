import { contractSuite, equal, failsAs, check, succeeds } from '../shared/contract.ts';
import type { Member } from '../shared/member.ts';
import type { DocumentResponse, DocumentLocator, Documents } from './documents.port.ts';

export interface DocumentsSubject {
  readonly documents: Documents;
  readonly member: Member;
  /** A document of `member`, of at least 20 bytes. */
  readonly document: DocumentLocator;
  /** Another member, to whom `document` does not belong. */
  readonly other: Member;
}

export const documentsContract = contractSuite<DocumentsSubject>('documents', {
  "lists the member's own documents and no other member's": async ({ documents, member, document, other }) => {
    check((await succeeds(documents.list(member, []))).text.includes(document), "the member's document is in the list");
    check(!(await succeeds(documents.list(other, []))).text.includes(document), "it is not in another member's list");
  },
  'returns a document as a PDF with the announced length': async ({ documents, member, document }) => {
    const response = await succeeds(documents.get(member, document, {}));
    const bytes = await contentOf(response);
    equal(response.outcome, 'whole', 'the outcome');
    equal(String.fromCharCode(...bytes.slice(0, 5)), '%PDF-', 'the first five bytes');
    equal(response.headers.contentLength, String(bytes.length), 'the announced length');
  },
  'returns the requested range of a document': async ({ documents, member, document }) => {
    const whole = await contentOf(await succeeds(documents.get(member, document, {})));
    const response = await succeeds(documents.get(member, document, { range: 'bytes=5-14' }));
    equal(response.outcome, 'part', 'the outcome');
    equal(response.headers.contentRange, `bytes 5-14/${whole.length}`, 'the announced range');
    equal(await contentOf(response), whole.slice(5, 15), 'the bytes of the range');
  },
  'reports a range beyond the end of the document': async ({ documents, member, document }) => {
    const response = await succeeds(documents.get(member, document, { range: 'bytes=999999999-' }));
    equal(response.outcome, 'range-not-satisfiable', 'the outcome');
  },
  'returns not-modified for a matching entity tag': async ({ documents, member, document }) => {
    const first = await succeeds(documents.get(member, document, {}));
    await contentOf(first);
    const { etag = '' } = first.headers;
    const again = await succeeds(documents.get(member, document, { ifNoneMatch: etag }));
    equal(again.outcome, 'not-modified', `the outcome, given If-None-Match: ${etag}`);
  },
  'returns not-modified when the document was not modified since the given date': async ({
    documents,
    member,
    document,
  }) => {
    const first = await succeeds(documents.get(member, document, {}));
    await contentOf(first);
    const { lastModified } = first.headers;
    if (lastModified === undefined) return;
    const again = await succeeds(documents.get(member, document, { ifModifiedSince: lastModified }));
    equal(again.outcome, 'not-modified', `the outcome, given If-Modified-Since: ${lastModified}`);
  },
  'hides a document that belongs to another member': async ({ documents, other, document }) => {
    await failsAs('not-found', documents.get(other, document, {}));
  },
  'fails not-found for a document that does not exist': async ({ documents, member }) => {
    await failsAs('not-found', documents.get(member, 'DOC-NOT-THERE' as DocumentLocator, {}));
  },
});

/** The bytes of a document; none if it has no content. */
export const contentOf = async (response: DocumentResponse): Promise<readonly number[]> => {
  const bytes: number[] = [];
  if (!('content' in response)) return bytes;
  for await (const chunk of response.content) for (const byte of chunk) bytes.push(byte);
  return bytes;
};
