const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
const minute = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' });

/** A full date, alone or with a time and its zone (RFC 3339). */
const dateAndTime = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** How services write a day as a time. */
const midnight = /^T00:00(?::00(?:\.0+)?)?Z$/;

/**
 * `2026-01-02` and `2026-01-02T00:00:00Z` are that day wherever the reader is; another time is shown in the reader's own
 * zone. What is not a full date, or is on no calendar, is shown as it came.
 */
export const readableDate = (text: string | null | undefined): string => {
  const [, date, time = ''] = dateAndTime.exec(text ?? '') ?? [];
  if (!text || date === undefined) return text ?? '–';
  const at = new Date(text);
  // `Date` takes 30 February for a day in March.
  const isOnCalendar = !Number.isNaN(at.getTime()) && new Date(date).toISOString().startsWith(date);
  if (!isOnCalendar) return text;
  return time === '' || midnight.test(time) ? day.format(at) : minute.format(at);
};

/** An amount in its currency (ISO 4217); the bare number where the service names none. */
export const money = (amount: number | null | undefined, currency: string | null | undefined): string => {
  if (typeof amount !== 'number') return '–';
  const isKnown = /^[A-Za-z]{3}$/.test(currency ?? '');
  return new Intl.NumberFormat('en-US', {
    ...(isKnown && { style: 'currency', currency: currency! }),
    // No "-$0.00".
    signDisplay: 'negative',
  }).format(amount);
};

/** `in-review` and `inReview` read "In review". */
export const words = (code: string | undefined): string => {
  const text = (code ?? '–')
    .replaceAll(/[-_]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};
