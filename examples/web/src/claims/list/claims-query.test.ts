import { orThrow, porticoClient } from '@portico/client';
import { expect, it } from 'vitest';
import type { Claim } from '../claim.ts';
import { type ClaimsQuery, claimsOnPage, claimsPath, listQuery, readClaims, readClaimsQuery } from './claims-query.ts';

const queryOf = (search: string) => readClaimsQuery(new URLSearchParams(search));

const claim = (number: number, status = 'paid'): Claim => ({
  locator: `CLM-${number}`,
  status,
  serviceDates: { from: `2026-01-${String(number).padStart(2, '0')}` },
});

const claims = (count: number) => Array.from({ length: count }, (_, index) => claim(index + 1));

const locators = (page: { readonly claims: readonly Claim[] }) => page.claims.map(({ locator }) => locator);

it.each(['', '?status=denied', '?page=2', '?status=in-review&page=12'])(
  'the URL of the list of claims keeps the query %j',
  (search) => {
    expect(claimsPath(queryOf(search))).toBe(`/claims${search}`);
  },
);

it.each(['?status=lost', '?page=0', '?page=-1', '?page=1e9', '?page=two', '?page=9999999'])(
  'the list of claims shows the first page of all claims for the invalid query %s',
  (search) => {
    expect(queryOf(search)).toEqual({ status: undefined, page: 1 });
  },
);

it('the list of claims requests one claim more than a page shows', () => {
  expect(listQuery({ status: 'paid', page: 3 })).toEqual([
    ['limit', '11'],
    ['offset', '20'],
    ['status', 'paid'],
  ]);
});

it('the list of claims shows the newest claim first, after claims without a date', () => {
  const submitted = { locator: 'CLM-NEW-1' };
  expect(locators(claimsOnPage([claim(1), claim(3), submitted, claim(2)], { status: undefined, page: 1 }))).toEqual([
    'CLM-NEW-1',
    'CLM-3',
    'CLM-2',
    'CLM-1',
  ]);
});

it('the list of claims has a next page only if the claims system returned one more claim', () => {
  const query = { status: undefined, page: 2 };
  expect([claimsOnPage(claims(10), query).hasNext, claimsOnPage(claims(11), query).hasNext]).toEqual([false, true]);
  expect(claimsOnPage(claims(11), query)).toMatchObject({ from: 11, claims: { length: 10 } });
});

it('the page divides the list itself when the claims system returns all claims', () => {
  const last = claimsOnPage(claims(25), { status: undefined, page: 3 });
  expect(locators(last)).toEqual(['CLM-5', 'CLM-4', 'CLM-3', 'CLM-2', 'CLM-1']);
  expect([last.from, last.hasNext]).toEqual([21, false]);
});

it('the page filters the list itself when the claims system ignores the status', () => {
  const mixed = [claim(1), claim(2, 'denied'), claim(3)];
  expect(locators(claimsOnPage(mixed, { status: 'denied', page: 1 }))).toEqual(['CLM-2']);
});

/** A page of the list of a claims system that divides its list itself, unless the options say otherwise, and how many requests were sent. */
const readPage = async (all: readonly Claim[], query: ClaimsQuery, { filters = false, divides = true } = {}) => {
  let requests = 0;
  const answer = async (url: string) => {
    requests += 1;
    const { status, offset = 0, limit = all.length } = Object.fromEntries(new URL(url).searchParams);
    const matching = filters && status ? all.filter((one) => one.status === status) : all;
    if (!divides) return Response.json({ claims: matching });
    return Response.json({ claims: matching.slice(Number(offset), Number(offset) + Number(limit)) });
  };
  const portico = porticoClient({ url: 'http://127.0.0.1', fetch: answer });
  const { value } = await orThrow(readClaims(portico, query));
  return { ...claimsOnPage(value?.claims ?? [], query), requests };
};

it('the page reads and filters the whole list when the claims system ignores only the status', async () => {
  const all = [...claims(15), ...Array.from({ length: 12 }, (_, index) => claim(index + 16, 'denied'))];
  const first = await readPage(all, { status: 'denied', page: 1 });
  expect([locators(first)[0], first.claims.length, first.hasNext]).toEqual(['CLM-27', 10, true]);
  const second = await readPage(all, { status: 'denied', page: 2 });
  expect([locators(second), second.hasNext]).toEqual([['CLM-17', 'CLM-16'], false]);
});

it('claims of one status that fit on a page have no next page when the claims system ignores only the status', async () => {
  const page = await readPage([...claims(10), claim(11, 'denied')], { status: 'denied', page: 1 });
  expect([locators(page), page.hasNext]).toEqual([['CLM-11'], false]);
});

it('the list of claims is read with one request when the claims system filters it', async () => {
  const page = await readPage([...claims(15), claim(16, 'denied')], { status: 'denied', page: 1 }, { filters: true });
  expect([locators(page), page.requests]).toEqual([['CLM-16'], 1]);
});

it('a page of claims is shown although the check of its place fails', async () => {
  let requests = 0;
  const answer = async () =>
    ++requests === 1 ? Response.json({ claims: claims(11) }) : Response.json({}, { status: 429 });
  const portico = porticoClient({ url: 'http://127.0.0.1', fetch: answer });
  const { value } = await orThrow(readClaims(portico, { status: undefined, page: 2 }));
  expect([value?.claims?.length, requests]).toEqual([11, 2]);
});

it.each([11, 12, 25])('every claim is on one page when the claims system returns all %i on each', async (count) => {
  const pages = await Promise.all(
    [1, 2, 3].map((page) => readPage(claims(count), { status: undefined, page }, { divides: false })),
  );
  const shown = pages.flatMap(locators);
  expect([shown.length, new Set(shown)]).toEqual([count, new Set(locators({ claims: claims(count) }))]);
  expect(pages.map(({ hasNext }) => hasNext)).toEqual([count > 10, count > 20, false]);
});

it('a later page is read with a second request only if there is a next page', async () => {
  const [second, last] = await Promise.all([2, 3].map((page) => readPage(claims(25), { status: undefined, page })));
  expect([second!.claims.length, second!.hasNext, second!.requests]).toEqual([10, true, 2]);
  expect([last!.claims.length, last!.hasNext, last!.requests]).toEqual([5, false, 1]);
});
