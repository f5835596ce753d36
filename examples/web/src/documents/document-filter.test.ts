import { describe, expect, it } from 'vitest';
import { filterDocuments, filterOf, queryOf, typesOf, yearsOf } from './document-filter.ts';

const eob = { locator: '1', type: 'eob', date: '2026-03-01' };
const older = { locator: '2', type: 'eob', date: '2025-12-31T00:00:00Z' };
const card = { locator: '3', type: 'id-card', date: '2026-01-01' };
const odd = { locator: '4', date: 'soon' };
const documents = [eob, older, card, odd];

describe('the filters of documents', () => {
  it('are the types that occur, and the years, newest first', () => {
    expect([typesOf(documents), yearsOf(documents)]).toEqual([
      ['eob', 'id-card'],
      ['2026', '2025'],
    ]);
  });

  it.each([
    [{ type: undefined, year: undefined }, documents],
    [{ type: 'eob', year: undefined }, [eob, older]],
    [{ type: undefined, year: '2026' }, [eob, card]],
    [{ type: 'eob', year: '2025' }, [older]],
  ])('%j keeps the documents that match', (filter, kept) => {
    expect(filterDocuments(documents, filter)).toEqual(kept);
  });

  it('are read from the URL that they write', () => {
    const filter = { type: 'id-card', year: '2026' };
    expect(filterOf(new URLSearchParams(queryOf(filter)), documents)).toEqual(filter);
    expect(queryOf({ type: undefined, year: undefined })).toBe('?');
  });

  it('ignore a type or a year of the URL that no document has', () => {
    expect(filterOf(new URLSearchParams('?type=letter&year=1999'), documents)).toEqual({
      type: undefined,
      year: undefined,
    });
  });
});
