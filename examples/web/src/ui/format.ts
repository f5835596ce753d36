const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
const minute = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' });

/** A full date, alone or with a time and its zone (RFC 3339). */
const dateAndTime = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Some services write a day as a time. */
const midnight = /^T00:00(?::00(?:\.0+)?)?Z$/;

/**
 * Formats `2026-01-02` and `2026-01-02T00:00:00Z` as that day in every time zone, and other times in the local time zone.
 * Returns text that is not a full calendar date unchanged.
 */
export const readableDate = (text: string | null | undefined): string => {
  const [, date, time = ''] = dateAndTime.exec(text ?? '') ?? [];
  if (!text || date === undefined) return text ?? '–';
  const at = new Date(text);
  // `Date` accepts 30 February as a day in March.
  const isOnCalendar = !Number.isNaN(at.getTime()) && new Date(date).toISOString().startsWith(date);
  if (!isOnCalendar) return text;
  return time === '' || midnight.test(time) ? day.format(at) : minute.format(at);
};

/** Formats an amount in its currency (ISO 4217), or as a number without a valid currency. */
export const money = (amount: number | null | undefined, currency: string | null | undefined): string => {
  if (typeof amount !== 'number') return '–';
  const isKnown = /^[A-Za-z]{3}$/.test(currency ?? '');
  return new Intl.NumberFormat('en-US', {
    ...(isKnown && { style: 'currency', currency: currency! }),
    // No "-$0.00".
    signDisplay: 'negative',
  }).format(amount);
};

/** Formats `in-review` and `inReview` as "In review". */
export const words = (code: string | undefined): string => {
  const text = (code ?? '–')
    .replaceAll(/[-_]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};
