const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
const minute = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' });

/** `2026-01-02` is that day wherever the reader is; a time is told in the reader's own zone. */
export const readableDate = (text: string | null | undefined): string => {
  const at = new Date(text ?? Number.NaN);
  if (Number.isNaN(at.getTime())) return text ?? '–';
  return /^\d{4}-\d\d-\d\d$/.test(text ?? '') ? day.format(at) : minute.format(at);
};

export const money = (amount: number | null | undefined, currency = 'USD'): string =>
  typeof amount === 'number' ? new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(amount) : '–';

/** `in-review` and `inReview` read "In review". */
export const words = (code: string | undefined): string => {
  const text = (code ?? '–')
    .replaceAll(/[-_]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};
