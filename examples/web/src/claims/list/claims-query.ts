import type { PorticoClient } from '@portico/client';
import type { ListQuery } from '@portico/core';
import { okAsync } from 'neverthrow';
import { newestFirst } from '../../api/newest-first.ts';
import { type Claim, dateOf, type Status, statuses } from '../claim.ts';

const pageSize = 10;

/** Which claims the list shows. Its URL has the same. */
export interface ClaimsQuery {
  readonly status: Status | undefined;
  /** The first page is 1. */
  readonly page: number;
}

/** Reads the query of a URL. A value that is not valid counts as missing. */
export const readClaimsQuery = (search: URLSearchParams): ClaimsQuery => {
  const page = search.get('page') ?? '';
  return {
    status: statuses.find((known) => known === search.get('status')),
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  };
};

/** The URL of the list. */
export const claimsPath = ({ status, page = 1 }: Partial<ClaimsQuery>): string => {
  const search = new URLSearchParams({ ...(status && { status }), ...(page > 1 && { page: String(page) }) });
  return search.size === 0 ? '/claims' : `/claims?${search}`;
};

const firstOf = (page: number): number => (page - 1) * pageSize;

/** One more than fits on the page, which shows whether there is a next page. */
const wanted = pageSize + 1;

/** The query for the claims system. */
export const listQuery = ({ status, page }: ClaimsQuery): ListQuery => [
  ['limit', String(wanted)],
  ...(page > 1 ? [['offset', String(firstOf(page))] as const] : []),
  ...(status ? [['status', status] as const] : []),
];

type ClaimList = ReturnType<PorticoClient['listClaims']>;

/**
 * Reads the list for a page. A claims system that ignores the status divides a list of all claims: then the whole list is
 * read, because the claims of the page may be anywhere in it.
 */
export const readClaims = (portico: PorticoClient, query: ClaimsQuery, signal?: AbortSignal): ClaimList =>
  portico.listClaims(listQuery(query), signal).andThen((page) => {
    const claims = page.value?.claims;
    if (!Array.isArray(claims) || claims.length > wanted) return okAsync(page);
    if (hasOtherStatus(claims, query)) return portico.listClaims([], signal);
    if (query.page === 1 || claims.length < wanted) return okAsync(page);
    const ofPage = { ...page, value: { ...page.value, claims: claims.slice(firstOf(query.page)) } };
    return ignoresOffset(portico, query, claims, signal).map((isIgnored) => (isIgnored ? ofPage : page));
  });

/**
 * Whether these claims are the first of the list, although a later page was requested. Their number does not show it: a claims
 * system that ignores the limit, too, may have exactly as many.
 */
const ignoresOffset = (
  portico: PorticoClient,
  query: ClaimsQuery,
  received: readonly unknown[],
  signal?: AbortSignal,
) =>
  portico
    .listClaims(listQuery({ ...query, page: 1 }), signal)
    .map(({ value }) => JSON.stringify(value?.claims) === JSON.stringify(received))
    // The claims of this page have arrived.
    .orElse(() => okAsync(false));

const hasOtherStatus = (claims: readonly (Claim | null)[], { status }: ClaimsQuery): boolean =>
  status !== undefined && claims.some((claim) => claim?.status !== status);

export interface ClaimsOnPage {
  /** Newest first. Claims without a date are first: they have just been submitted. */
  readonly claims: readonly Claim[];
  /** The place of the first claim in the whole list, from 1. */
  readonly from: number;
  readonly hasNext: boolean;
}

/** The claims of a page. A claims system may ignore parameters: then the pages filter and divide the list themselves. */
export const claimsOnPage = (received: readonly Claim[], query: ClaimsQuery): ClaimsOnPage => {
  const { status, page } = query;
  const matching = status ? received.filter((claim) => claim.status === status) : received;
  const isWholeList = received.length > wanted || hasOtherStatus(received, query);
  const ordered = isWholeList ? latestFirst(matching) : matching;
  const first = isWholeList ? firstOf(page) : 0;
  return {
    claims: latestFirst(ordered.slice(first, first + pageSize)),
    from: firstOf(page) + 1,
    hasNext: isWholeList ? ordered.length > first + pageSize : received.length > pageSize,
  };
};

const latestFirst = (claims: readonly Claim[]): readonly Claim[] => newestFirst(claims, dateOf, '9999');
