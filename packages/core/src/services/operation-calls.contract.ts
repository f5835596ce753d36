import type { Result } from 'neverthrow';
import { succeeds } from '../contract/assertions.ts';
import { contentOf } from '../documents/documents.contract.ts';
import type { DocumentResponse } from '../documents/documents.port.ts';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import type { Member } from '../shared/member.ts';
import type { AnyOwnUseCase } from './own-service.ts';
import type { AnyServiceRequest, ServiceResponse } from './own-service.port.ts';

export type Input = Partial<AnyServiceRequest>;

export type Who = 'member' | 'other' | 'unknown';

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
export const textOf = async (result: Result<ServiceResponse | DocumentResponse, Failure>): Promise<string> => {
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
export const completes = async (called: ReturnType<AnyOwnUseCase>): Promise<void> => {
  const response = await succeeds(called);
  if (!('text' in response)) await contentOf(response);
};
