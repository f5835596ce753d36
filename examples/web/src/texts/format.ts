/** Formats the values of responses for the member's locale. */
export interface Format {
  /**
   * Formats `2026-01-02` and `2026-01-02T00:00:00Z` as that day in every time zone, and other times in the local time zone.
   * Returns a string that is not a full calendar date unchanged.
   */
  readonly date: (text: string | null | undefined) => string;
  /** Formats an amount in its currency (ISO 4217), or as a number without a valid currency. */
  readonly money: (amount: number | null | undefined, currency: string | null | undefined) => string;
  /** Formats a number with at most one decimal. */
  readonly number: (value: number) => string;
  /** Joins names: "A, B, and C". */
  readonly list: (names: readonly string[]) => string;
}

/** Shown for a value that is missing. */
export const missing = '–';

/** A full date, alone or with a time and its zone (RFC 3339). */
const dateAndTime = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Some services write a day as a time. */
const midnight = /^T00:00(?::00(?:\.0+)?)?Z$/;

/** `locale` is a BCP 47 tag. */
export const formatFor = (locale: string): Format => {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const minute = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const oneDecimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const names = new Intl.ListFormat(locale);
  return {
    date: (text) => {
      const [, date, time = ''] = dateAndTime.exec(text ?? '') ?? [];
      if (!text || date === undefined) return text ?? missing;
      const at = new Date(text);
      // `Date` accepts 30 February as a day in March.
      const isOnCalendar = !Number.isNaN(at.getTime()) && new Date(date).toISOString().startsWith(date);
      if (!isOnCalendar) return text;
      return time === '' || midnight.test(time) ? day.format(at) : minute.format(at);
    },
    money: (amount, currency) => {
      if (typeof amount !== 'number') return missing;
      const isKnown = /^[A-Za-z]{3}$/.test(currency ?? '');
      return new Intl.NumberFormat(locale, {
        ...(isKnown && { style: 'currency', currency: currency! }),
        // No "-$0.00".
        signDisplay: 'negative',
      }).format(amount);
    },
    number: (value) => oneDecimal.format(value),
    list: (all) => names.format(all),
  };
};

/** Formats `in-review` and `inReview` as "In review": a code that the texts do not know. */
export const words = (code: string | undefined): string => {
  const text = (code ?? missing)
    .replaceAll(/[-_]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};
