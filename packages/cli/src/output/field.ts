import { isObject, type JsonObject } from '@portico/core';
import { type Screen, stripControlCharacters, type Style } from './screen.ts';

/** A field of a resource: its path and its format. */
export interface Field {
  /** Such as `provider.name`. */
  readonly path: string;
  readonly kind: 'text' | 'date' | 'amount' | 'state' | 'share';
  /** Derived from the path by default. */
  readonly title?: string | undefined;
  /** The path of the whole, for a share. */
  readonly of?: string;
}

export const text = (path: string): Field => ({ path, kind: 'text' });
/** An ISO 8601 date or time. */
export const date = (path: string, title?: string): Field => ({ path, kind: 'date', title });
/** A number in the currency of the resource, or of the list that contains it. */
export const amount = (path: string, title?: string): Field => ({ path, kind: 'amount', title });
/** The state of a claim, a message or a consent: coloured on a terminal. */
export const state = (path: string): Field => ({ path, kind: 'state' });
/** The share that an amount has of a limit, in percent: with a bar on a terminal. */
export const share = (path: string, of: string, title: string): Field => ({ path, kind: 'share', of, title });

/** An object that a service returned. */
export type Resource = JsonObject;

/** The levels of nested objects that are shown field by field. */
export const maxDepth = 8;

export const valueAt = (resource: Resource, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), resource);

/** `serviceDates.from` becomes "Service dates from". */
export const titleOf = (path: string): string => {
  const words = path.replaceAll(/[._]/g, ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const titleOfField = ({ title, path }: Field): string => title ?? titleOf(path);

/** Formats the value of a field. A value that does not match the field's kind is shown unchanged. */
export const format = (resource: Resource, field: Field, screen: Screen): string => {
  const { path, kind } = field;
  const value = valueAt(resource, path);
  if (kind === 'share') return shareOf(value, valueAt(resource, field.of ?? ''), screen);
  if (kind === 'state' && typeof value === 'string') return coloured(plain(value), screen);
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

const styleOfState: Readonly<Record<string, Style>> = {
  ...Object.fromEntries(['paid', 'approved', 'delivered', 'active', 'granted'].map((name) => [name, 'green'])),
  ...Object.fromEntries(['in review', 'received', 'pending', 'sent'].map((name) => [name, 'yellow'])),
  ...Object.fromEntries(
    ['denied', 'rejected', 'failed', 'bounced', 'declined', 'withdrawn'].map((name) => [name, 'red']),
  ),
};

/** Shows `in-review` as "in review", in its colour. */
const coloured = (value: string, { style }: Screen): string => {
  const words = value.replaceAll(/[-_]/g, ' ');
  const name = words.toLowerCase();
  const known = Object.hasOwn(styleOfState, name) ? styleOfState[name] : undefined;
  return known === undefined ? words : style(known, words);
};

const barLength = 8;

const shareOf = (part: unknown, whole: unknown, { isTerminal, style }: Screen): string => {
  if (typeof part !== 'number' || typeof whole !== 'number' || whole <= 0 || part < 0) return '-';
  const percent = `${Math.round((part / whole) * 100)} %`;
  if (!isTerminal) return percent;
  const filled = Math.min(barLength, Math.floor((part / whole) * barLength));
  return `${style(part < whole ? 'yellow' : 'green', '█'.repeat(filled))}${'░'.repeat(barLength - filled)} ${percent}`;
};

/** Formats a price such as `1899.00`, which must be a decimal number. */
export const price = (value: string, currency: string): string =>
  /^-?\d{1,12}(?:\.\d{1,4})?$/.test(value) && /^[A-Z]{3}$/.test(currency)
    ? money(Number(value), currency)
    : stripControlCharacters(`${value} ${currency}`.trim());

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
