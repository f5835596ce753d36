import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { formatFor } from './format.ts';

const { date, money, list } = formatFor('en-US');

describe('a date', () => {
  it.each([
    '2026',
    '2026-03',
    '5',
    '2026-02-30',
    '2026-02-30T10:00:00Z',
    '2026-13-01',
    '2026-01-02T10:00:00',
    'soon',
    '',
  ])('returns text that is not a full calendar date unchanged: %j', (text) => expect(date(text)).toBe(text));

  it.each(['2026-03-01', '2026-03-01T00:00Z', '2026-03-01T00:00:00Z', '2026-03-01T00:00:00.000Z'])(
    'shows midnight UTC as that day: %s',
    (text) => expect(date(text)).toBe('Mar 1, 2026'),
  );

  it.each([
    ['America/Los_Angeles', 'Mar 1, 2026, 7:30 PM'],
    ['UTC', 'Mar 2, 2026, 3:30 AM'],
    ['Pacific/Auckland', 'Mar 2, 2026, 4:30 PM'],
  ])('shows a time in the time zone %s, and a day without a time unchanged', (zone, time) => {
    vi.stubEnv('TZ', zone);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { date } = formatFor('en-US');
    expect([date('2026-03-01'), date('2026-03-01T00:00:00Z')]).toEqual(['Mar 1, 2026', 'Mar 1, 2026']);
    // Before AM and PM, the locale has a space that does not break.
    expect(date('2026-03-01T22:30:00-05:00').replace('\u202F', ' ')).toBe(time);
  });

  it.each([null, undefined])('shows %j as a dash', (text) => expect(date(text)).toBe('–'));
});

describe('an amount', () => {
  it.each([
    [12.5, 'USD', '$12.50'],
    [-12.5, 'USD', '-$12.50'],
    [-0.004, 'USD', '$0.00'],
    [12.5, 'EUR', '€12.50'],
    [1234.5, undefined, '1,234.5'],
    [1234.5, null, '1,234.5'],
    [12.5, 'US$', '12.5'],
    [null, 'USD', '–'],
    [undefined, 'USD', '–'],
  ])('formats %j in %j as %s', (amount, currency, shown) => expect(money(amount, currency)).toBe(shown));
});

it('a list of names is joined with commas and "and"', () => expect(list(['A', 'B', 'C'])).toBe('A, B, and C'));

it('the format of dates, amounts and lists follows the locale', () => {
  const german = formatFor('de-DE');
  expect([german.date('2026-03-01'), german.money(1234.5, 'EUR'), german.list(['A', 'B'])]).toEqual([
    '01.03.2026',
    '1.234,50\u00A0€',
    'A und B',
  ]);
});
