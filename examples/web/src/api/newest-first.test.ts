import { expect, it } from 'vitest';
import { newestFirst } from './newest-first.ts';

const [old, latest, undated] = [{ at: '2026-01-01' }, { at: '2026-03-01' }, {}];
const timeOf = ({ at }: { readonly at?: string }) => at;

it('newestFirst puts an item without a time last, or where the time that replaces it belongs', () => {
  expect(newestFirst([undated, old, latest], timeOf)).toEqual([latest, old, undated]);
  expect(newestFirst([old, undated, latest], timeOf, '9999')).toEqual([undated, latest, old]);
});

it('newestFirst keeps the order of items of the same time', () => {
  const items = ['A', 'B', 'C'].map((id) => ({ id, at: '2026-01-01' }));
  expect(newestFirst(items, timeOf)).toEqual(items);
});
