import { ok } from 'neverthrow';
import { check, equal, failsAs, succeeds } from '../contract/assertions.ts';
import { isSame } from '../contract/json-result.ts';
import { contentOf, isSameBytes } from '../documents/documents.contract.ts';
import type { DocumentResponse } from '../documents/documents.port.ts';
import { strongEtag } from '../shared/entity-tag.ts';
import { type DeclaredOperation, isJsonOperation } from './declaration.ts';
import { type Calls, completes, type Input, textOf, type Who } from './operation-calls.contract.ts';
import { isKeptStatus, type ServiceResponse } from './own-service.port.ts';

type Promises = Readonly<Record<string, (calls: Calls, operation: string) => Promise<void>>>;

/** The promises of an operation, by its method and its media type. */
export const promisesOf = (operation: DeclaredOperation): Promises => ({
  ...(isJsonOperation(operation) ? jsonPromises : streamPromises),
  ...(operation.method === 'GET' ? readPromises : writePromises),
  ...(operation.method === 'GET' && !isJsonOperation(operation) ? streamReadPromises : {}),
  ...(operation.method === 'POST' ? postPromises : {}),
  ...(operation.method === 'DELETE' ? deletePromises : {}),
  ...(operation.method === 'GET' || operation.method === 'POST' ? {} : conditionalPromises),
  ...(operation.parameters.length > 0 && operation.method !== 'POST' && operation.method !== 'PUT'
    ? parameterPromises(operation)
    : {}),
});

const jsonPromises: Promises = {
  'returns JSON, or no content': async ({ call }, operation) => {
    const { status } = (await succeeds(call(operation, 'member'))) as ServiceResponse;
    check(status === undefined || isKeptStatus(status), 'the status is 200, 201, 202 or 204');
  },
};

/** The outcomes of requests without conditions. */
const wholeOutcomes: ReadonlySet<string> = new Set<DocumentResponse['outcome']>([
  'whole',
  'created',
  'accepted',
  'no-content',
]);

const streamPromises: Promises = {
  'returns content with the announced length': async ({ call }, operation) => {
    const response = (await succeeds(call(operation, 'member'))) as DocumentResponse;
    check(wholeOutcomes.has(response.outcome), `the outcome should not be ${response.outcome}`);
    const { contentLength } = response.headers;
    const bytes = await contentOf(response);
    if (contentLength !== undefined) equal(contentLength, String(bytes.length), 'the announced length');
  },
};

const someBytes: Input = { conditions: { range: 'bytes=5-14' } };
const rest: Input = { conditions: { range: 'bytes=5-' } };

/** A write is never `not-modified` (RFC 9110, section 13.1.2). */
const streamReadPromises: Promises = {
  'returns not-modified for a matching entity tag': async ({ call }, operation) => {
    const first = (await succeeds(call(operation, 'member'))) as DocumentResponse;
    await contentOf(first);
    const { etag } = first.headers;
    if (etag === undefined) return;
    const again = await succeeds(call(operation, 'member', { conditions: { ifNoneMatch: etag } }));
    equal((again as DocumentResponse).outcome, 'not-modified', `the outcome, given If-None-Match: ${etag}`);
  },
  'returns the requested range of its content, or no part': async ({ call }, operation) => {
    const whole = (await succeeds(call(operation, 'member'))) as DocumentResponse;
    const bytes = await contentOf(whole);
    const part = (await succeeds(call(operation, 'member', someBytes))) as DocumentResponse;
    const partBytes = await contentOf(part);
    if (part.outcome !== 'part') return;
    const last = 4 + partBytes.length;
    const announced = part.headers.contentRange ?? '';
    check(last > 4 && last < 15 && announced.startsWith(`bytes 5-${last}/`), 'the part is in the requested range');
    // Only a strong entity tag promises the same bytes (RFC 9110, section 8.8.1).
    if (strongEtag(part.headers.etag) === undefined || part.headers.etag !== whole.headers.etag) return;
    check(isSameBytes(partBytes, bytes.slice(5, last + 1)), 'the part has the bytes of the content');
  },
  'returns no part of what another member reads': async ({ call }, operation) => {
    const own: string[] = [];
    // A cache may keep a part from its second read on.
    for (const range of [someBytes, someBytes, someBytes, rest, rest, rest]) {
      const response = (await succeeds(call(operation, 'member', range))) as DocumentResponse;
      const text = await textOf(ok(response));
      if (response.outcome === 'part' && range === rest) own.push(text);
    }
    const [othersRest, whole] = [await textOf(await call(operation, 'other', rest)), await call(operation, 'other')];
    const [wholeText, partText] = [await textOf(whole), await textOf(await call(operation, 'other', someBytes))];
    // Files of two members may have the same bytes.
    const isOwn = whole.isOk() && wholeText.endsWith(othersRest);
    check(isOwn || !own.includes(othersRest), 'another member should get another part');
    if (whole.isErr()) equal(partText, wholeText, 'the failure of another member who requests a range');
  },
};

const readPromises: Promises = {
  'returns nothing of another member': async ({ call }, operation) => {
    // One after the other, and in this order: a cache may keep a response from its second read on.
    const texts: Record<'member' | 'other', string[]> = { member: [], other: [] };
    for (const who of ['member', 'member', 'member', 'other', 'member'] as const)
      texts[who].push(await textOf(await call(operation, who)));
    check(!texts.member.includes(texts.other[0]!), 'another member should get another response');
  },
  'returns nothing of another member who reads at the same time': async ({ call }, operation) => {
    const read = async (who: 'member' | 'other') => textOf(await call(operation, who));
    const [own, others] = await Promise.all([read('member'), read('other')]);
    check(own !== others, 'another member should get another response');
  },
  'has nothing for an unknown member, and does not report that as a failure of the source': async (
    calls,
    operation,
  ) => {
    const { call, subject } = calls;
    if (!subject.unknown) return;
    const found = await call(operation, 'unknown');
    if (found.isErr()) await failsAs('not-found', call(operation, 'unknown'));
    else
      check((await textOf(found)) !== (await textOf(await call(operation, 'member'))), 'the response is another one');
  },
};

const writePromises: Promises = {
  'changes nothing that another member reads': async ({ call, readAll }, operation) => {
    const before = await readAll('other');
    await completes(call(operation, 'member'));
    equal(await readAll('other'), before, 'what the other member reads');
  },
  'cannot be used by another member to change what a member reads': async ({ call, readAll }, operation) => {
    const before = await readAll('member');
    await textOf(await call(operation, 'other'));
    equal(await readAll('member'), before, 'what the member reads');
  },
};

const deletePromises: Promises = {
  'changes what the member reads': async ({ call, readAll, readOf }, operation) => {
    if (!readOf(operation)) return;
    const before = await readAll('member');
    await completes(call(operation, 'member'));
    check(!isSame(await readAll('member'), before), 'the member reads something else');
  },
};

const conditionalPromises: Promises = {
  'rejects a write with an entity tag that it has never sent': async ({ call, etagOf, readAll }, operation) => {
    if ((await etagOf(operation)) === undefined) return;
    const before = await readAll('member');
    check((await call(operation, 'member', { ifMatch: '"contract-1"' })).isErr(), 'the write should have failed');
    equal(await readAll('member'), before, 'what the member reads');
  },
};

const postPromises: Promises = {
  'is processed once when it is sent twice with the same idempotency key': async (calls, operation) => {
    const { call, readAll, fresh } = calls;
    const twice = { idempotencyKey: fresh() };
    const first = await textOf(await call(operation, 'member', twice));
    const before = await readAll('member');
    equal(await textOf(await call(operation, 'member', twice)), first, 'the second response');
    equal(await readAll('member'), before, 'what the member reads after the second request');
  },
  'is processed once when it is sent twice at the same time with the same idempotency key': async (
    calls,
    operation,
  ) => {
    const { call, fresh } = calls;
    const twice = { idempotencyKey: fresh() };
    const sent = await Promise.all([call(operation, 'member', twice), call(operation, 'member', twice)]);
    // A service may refuse a key while its first request is in progress.
    const responses = await Promise.all(sent.filter((result) => result.isOk()).map(textOf));
    check(new Set(responses).size === 1, 'one request succeeds, or both with the same response');
  },
  'is processed again with another idempotency key': async (calls, operation) => {
    await completes(calls.call(operation, 'member', { idempotencyKey: calls.fresh() }));
    await isProcessed(calls, operation, 'member', { idempotencyKey: calls.fresh() });
  },
  'is processed for each of two members who use the same idempotency key': async (calls, operation) => {
    const { call, fresh, otherBodyOf } = calls;
    const idempotencyKey = fresh();
    const own = await textOf(await call(operation, 'member', { idempotencyKey }));
    const body = otherBodyOf(operation);
    const others = await isProcessed(calls, operation, 'other', { idempotencyKey, ...(body && { body }) });
    if (!body) return;
    check(others !== own, 'the responses to different bodies are different');
  },
};

/**
 * Checks that a request with a key is processed, and returns the text of its response. The reads show it: either they
 * change, or they do not change for the same request without a key either.
 */
const isProcessed = async (
  { call, readAll }: Calls,
  operation: string,
  who: Who,
  { idempotencyKey, ...change }: Input,
): Promise<string> => {
  const before = await readAll(who);
  const text = await textOf(await call(operation, who, { ...change, idempotencyKey }));
  if (!isSame(await readAll(who), before)) return text;
  await textOf(await call(operation, who, change));
  equal(await readAll(who), before, 'what the member reads after the same request without an idempotency key');
  return text;
};

const parameterPromises = ({ parameters }: DeclaredOperation): Promises => ({
  'fails not-found for another member': async ({ call }, operation) => {
    await failsAs('not-found', call(operation, 'other'));
  },
  'fails not-found for what does not exist': async ({ call }, operation) => {
    const missing = Object.fromEntries(parameters.map((name) => [name, 'NOT-THERE']));
    await failsAs('not-found', call(operation, 'member', { parameters: missing }));
  },
});
