import { describe, expect, it } from 'vitest';
import { countUnread, iconOf, latestFirst, readKeyOf } from './notifications.ts';

const [old, middle, latest] = [
  { id: '1', createdAt: '2026-01-01T00:00:00Z', read: true },
  { id: '2', createdAt: '2026-02-01T00:00:00Z' },
  { id: '3', createdAt: '2026-03-01T00:00:00Z', read: false },
] as const;

it('the list of notifications shows the newest one first, and one without a time last', () => {
  expect(latestFirst([{ id: '4' }, old, latest, middle]).map(({ id }) => id)).toEqual(['3', '2', '1', '4']);
});

it('a notification of a severity that is not known has a bell', () => {
  expect(['warning', 'success', 'constructor'].map((severity) => iconOf({ id: '1', severity }))).toEqual([
    'warning',
    'success',
    'bell',
  ]);
});

describe('the number of unread notifications', () => {
  it('counts those that neither this browser nor the service has as read', () => {
    const response = { notifications: [old, middle, latest] };
    expect(countUnread(response, new Set())).toBe(2);
    expect(countUnread(response, new Set([readKeyOf(middle)]))).toBe(1);
  });

  it('counts a notification of another member with the same id', () => {
    const other = { ...middle, createdAt: '2026-05-05T00:00:00Z' };
    expect(countUnread({ notifications: [other] }, new Set([readKeyOf(middle)]))).toBe(1);
  });

  it.each([undefined, null, 5, {}, { notifications: null }, { notifications: {} }, { notifications: [null, 5, {}] }])(
    'is 0 for a response of another shape: %j',
    (response) => expect(countUnread(response, new Set())).toBe(0),
  );
});
