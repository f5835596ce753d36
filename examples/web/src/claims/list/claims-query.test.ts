import { expect, it } from 'vitest';
import type { Claim } from '../claim.ts';
import { claimsOnPage, claimsPath, listQuery, readClaimsQuery } from './claims-query.ts';

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
