import { contractSuite, equal, failsAs, holds, succeeds } from '../shared/contract.ts';
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
  'lists the documents of the member who asks, and of nobody else': async ({ documents, member, document, other }) => {
    holds((await succeeds(documents.list(member, []))).text.includes(document), "the member's document is in the list");
    holds(!(await succeeds(documents.list(other, []))).text.includes(document), "it is not in another's list");
  },
  'gives a document as a PDF of the length announced': async ({ documents, member, document }) => {
    const answer = await succeeds(documents.get(member, document, {}));
    const bytes = await contentOf(answer);
    equal(answer.outcome, 'whole', 'the outcome');
    equal(String.fromCharCode(...bytes.slice(0, 5)), '%PDF-', 'the first five bytes');
    equal(answer.headers.contentLength, String(bytes.length), 'the length announced');
  },
  'gives the part of a document that is asked for': async ({ documents, member, document }) => {
    const whole = await contentOf(await succeeds(documents.get(member, document, {})));
    const answer = await succeeds(documents.get(member, document, { range: 'bytes=5-14' }));
    equal(answer.outcome, 'part', 'the outcome');
    equal(answer.headers.contentRange, `bytes 5-14/${whole.length}`, 'the range announced');
    equal(await contentOf(answer), whole.slice(5, 15), 'the bytes of the range');
  },
  'says so when the part asked for lies outside': async ({ documents, member, document }) => {
    const answer = await succeeds(documents.get(member, document, { range: 'bytes=999999999-' }));
    equal(answer.outcome, 'range-not-satisfiable', 'the outcome');
  },
  'sends nothing again that the member already has': async ({ documents, member, document }) => {
    const first = await succeeds(documents.get(member, document, {}));
    await contentOf(first);
    const { etag = '' } = first.headers;
    const again = await succeeds(documents.get(member, document, { ifNoneMatch: etag }));
    equal(again.outcome, 'not-modified', `the outcome, given If-None-Match: ${etag}`);
  },
  'sends nothing again that was not modified since': async ({ documents, member, document }) => {
    const first = await succeeds(documents.get(member, document, {}));
    await contentOf(first);
    const { lastModified } = first.headers;
    if (lastModified === undefined) return;
    const again = await succeeds(documents.get(member, document, { ifModifiedSince: lastModified }));
    equal(again.outcome, 'not-modified', `the outcome, given If-Modified-Since: ${lastModified}`);
  },
  'hides a document that belongs to someone else': async ({ documents, other, document }) => {
    await failsAs('not-found', documents.get(other, document, {}));
  },
  'does not find a document that is not there': async ({ documents, member }) => {
    await failsAs('not-found', documents.get(member, 'DOC-NOT-THERE' as DocumentLocator, {}));
  },
});

const contentOf = async (answer: DocumentResponse): Promise<readonly number[]> => {
  const bytes: number[] = [];
  if (!('content' in answer)) return bytes;
  for await (const chunk of answer.content) for (const byte of chunk) bytes.push(byte);
  return bytes;
};
