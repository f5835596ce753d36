import { stripControlCharacters } from './screen.ts';

/** A field of a resource: its path and its format. */
export interface Field {
  /** Such as `provider.name`. */
  readonly path: string;
  readonly kind: 'text' | 'date' | 'amount';
}

export const text = (path: string): Field => ({ path, kind: 'text' });
/** An ISO 8601 date or time. */
export const date = (path: string): Field => ({ path, kind: 'date' });
/** A number in the currency of the resource, or of the list that contains it. */
export const amount = (path: string): Field => ({ path, kind: 'amount' });

/** An object that a service returned. */
export type Resource = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const valueAt = (resource: Resource, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), resource);

/** `serviceDates.from` becomes "Service dates from". */
export const titleOf = (path: string): string => {
  const words = path.replaceAll(/[._]/g, ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Formats the value of a field. A value that does not match the field's kind is shown unchanged. */
export const format = (resource: Resource, { path, kind }: Field): string => {
  const value = valueAt(resource, path);
  const currency = String(resource['currency']);
  if (kind === 'amount' && typeof value === 'number' && /^[A-Z]{3}$/.test(currency)) return money(value, currency);
  return kind === 'date' && typeof value === 'string' ? readableDate(stripControlCharacters(value)) : plain(value);
};

const plain = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ');
  return stripControlCharacters(typeof value === 'string' ? value : JSON.stringify(value));
};

const money = (value: number, currency: string): string =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    maximumFractionDigits: 4,
    // No sign for -0, also after rounding.
    signDisplay: 'negative',
  })
    .format(value)
    .replaceAll('\u00a0', ' ');

/** Formats `5 Mar 2026` or `5 Mar 2026 10:15 UTC`. */
const readableDate = (iso: string): string => {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)))?$/.exec(iso) ?? [];
  const at = new Date(iso);
  // `Date` parses 30 February as a day in March.
  if (day === undefined || Number.isNaN(at.getTime()) || !new Date(day).toISOString().startsWith(day)) return iso;
  const month = new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: 'UTC' }).format(at);
  const readable = `${at.getUTCDate()} ${month} ${at.getUTCFullYear()}`;
  return time === undefined ? readable : `${readable} ${at.toISOString().slice(11, 16)} UTC`;
};
