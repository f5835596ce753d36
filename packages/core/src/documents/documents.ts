import type { ResultAsync } from 'neverthrow';
import type { Signal } from '../runtime/signal.ts';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import { type ListQueryInput, parseListQuery } from '../shared/list-query.ts';
import { parseLocator } from '../shared/locator.ts';
import type { Member } from '../shared/member.ts';
import type { DocumentResponse, DocumentConditions, DocumentLocator, Documents } from './documents.port.ts';

export type ListDocuments = (member: Member, query?: ListQueryInput) => ResultAsync<Json, Failure>;

export const listDocuments =
  (documents: Documents): ListDocuments =>
  (member, query = '') =>
    parseListQuery(query).asyncAndThen((known) => documents.list(member, known));

export type GetDocument = (
  member: Member,
  locator: string,
  conditions?: DocumentConditions,
  signal?: Signal,
) => ResultAsync<DocumentResponse, Failure>;

export const getDocument =
  (documents: Documents): GetDocument =>
  (member, locator, conditions = {}, signal) =>
    parseLocator<DocumentLocator>(locator).asyncAndThen((valid) =>
      documents.get(member, valid, withSingleRange(conditions), signal),
    );

/** Drops an invalid range (RFC 9110, section 14.2) and multiple ranges, because the response to those is not a PDF. */
export const withSingleRange = ({ range, ifRange, ...others }: DocumentConditions): DocumentConditions => {
  if (!range?.match(/^bytes=(?:\d{1,15}-\d{0,15}|-\d{1,15})$/i)) return others;
  return { ...others, range, ...(ifRange !== undefined && { ifRange }) };
};
