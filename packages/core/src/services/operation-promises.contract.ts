import type { Result } from 'neverthrow';
import { check, equal, failsAs, succeeds } from '../contract/assertions.ts';
import { isSame } from '../contract/json-result.ts';
import { contentOf } from '../documents/documents.contract.ts';
import type { DocumentResponse } from '../documents/documents.port.ts';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import type { Member } from '../shared/member.ts';
import { type DeclaredOperation, isJsonOperation } from './declaration.ts';
import type { AnyOwnUseCase } from './own-service.ts';
import { type AnyServiceRequest, isKeptStatus, type ServiceResponse } from './own-service.port.ts';

export type Input = Partial<AnyServiceRequest>;

type Who = 'member' | 'other' | 'unknown';

/** The calls of a subject. `change` replaces parts of the subject's request. */
export interface Calls {
  readonly call: (operation: string, who: Who, change?: Input) => ReturnType<AnyOwnUseCase>;
  /** The entity tag of what the operation changes, if it can be read and has one. */
  readonly etagOf: (operation: string) => Promise<string | undefined>;
  /** The versions (`versionOf`) of everything that a member can read with the requests of the subject. */
  readonly readAll: (who: Who) => Promise<readonly string[]>;
  /** The GET operation with the path of this one. */
  readonly readOf: (operation: string) => string | undefined;
  /** Returns a new idempotency key. */
  readonly fresh: () => string;
  /** The body of the other member, if it has another one. */
  readonly otherBodyOf: (operation: string) => Json | undefined;
  readonly subject: { readonly member: Member; readonly other: Member; readonly unknown?: Member };
}

/** What a response shows: its text, its content with one character per byte, or the kind of its failure. */
const textOf = async (result: Result<ServiceResponse | DocumentResponse, Failure>): Promise<string> => {
  if (result.isErr()) return result.error.kind;
  return 'text' in result.value ? result.value.text : characters(await contentOf(result.value));
};

/** Not all at once: the number of arguments of a call is limited. */
const characters = (bytes: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
};

/** The part of `textOf` that changes only if the data does: a file may be created whenever it is read. */
export const versionOf = async (result: Result<ServiceResponse | DocumentResponse, Failure>): Promise<string> => {
  const text = await textOf(result);
  return result.isErr() || 'text' in result.value ? text : (result.value.headers.etag ?? 'content');
};

/** Checks that a call succeeds, and reads its content: an open response would use a connection. */
const completes = async (called: ReturnType<AnyOwnUseCase>): Promise<void> => {
  const response = await succeeds(called);
  if (!('text' in response)) await contentOf(response);
};

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
};

const readPromises: Promises = {
  'returns nothing of another member': async ({ call }, operation) => {
    const own = await textOf(await call(operation, 'member'));
    check((await textOf(await call(operation, 'other'))) !== own, 'another member gets another response');
  },
  'returns nothing of another member who reads at the same time': async ({ call }, operation) => {
    const read = async (who: 'member' | 'other') => textOf(await call(operation, who));
    const [own, others] = await Promise.all([read('member'), read('other')]);
    check(own !== others, 'another member gets another response');
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
