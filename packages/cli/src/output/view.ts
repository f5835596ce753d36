import stringWidth from 'string-width';
import type { View } from './answer.ts';
import { type Screen, tame } from './screen.ts';
import { table, wrap } from './table.ts';

/**
 * Shows whatever a service answered. The fields of its resources are its own, so nothing here depends on any: scalars
 * become lines, lists of objects become tables, and the columns of a table are the `wanted` ones where they exist.
 */
export const showAnswer =
  (wanted: readonly string[] = [], empty = 'Nothing is there.'): View =>
  (answer, screen) => {
    if (answer === undefined) return 'Done.\n';
    const value = pruned(answer);
    if (typeof value !== 'object' || value === null) return `${scalar(value)}\n`;
    if (isNothing(value)) return `${empty}\n`;
    if (isTable(value)) return list(value, wanted, screen);
    return isObject(value) ? showObject(value, wanted, screen) : linesOf(value as readonly unknown[], screen);
  };

const linesOf = (values: readonly unknown[], screen: Screen): string =>
  values.map((value) => `${wrap(scalar(value), screen.width).join('\n')}\n`).join('');

const showObject = (value: Fields, wanted: readonly string[], screen: Screen): string => {
  const [only, ...others] = Object.entries(value).filter(([, field]) => isTable(field));
  const rest = Object.entries(value).filter(([name]) => name !== only?.[0]);
  // A list, and what is said about it: `{claims: […], total: 3}`.
  if (only && others.length === 0 && rest.every(([, field]) => isScalar(field)))
    return (
      list(only[1] as readonly Fields[], wanted, screen, currencyOf(value)) + fields(Object.fromEntries(rest), screen)
    );
  return fields(value, screen);
};

/** A list or object without any scalar in it: nothing that could be shown. */
const isNothing = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(isNothing);

const maxDepth = 8;

/** What lies deeper is for `--json`. */
const pruned = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return '…';
  if (Array.isArray(value)) return value.map((item) => pruned(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, pruned(field, depth + 1)]));
};

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Array.isArray(value) && !isTable(value));
const isTable = (value: unknown): value is readonly Fields[] =>
  Array.isArray(value) && value.every(isObject) && !value.every(isNothing);

/** An object: its scalars line by line, then what is nested, each under its name. */
const fields = (value: Fields, screen: Screen, currency = currencyOf(value)): string => {
  const scalars = Object.entries(value).filter(([, field]) => isScalar(field));
  const nested = Object.entries(value).filter(([, field]) => !isScalar(field));
  const titles = scalars.map(([name]) => label(name));
  const widest = titles.reduce((most, title) => Math.max(most, stringWidth(title)), 0);
  const width = Math.min(widest, Math.floor(screen.width / 2), 32) + 2;
  const lines = scalars.flatMap(([name, field], index) => {
    const values = wrap(scalar(field, name, currency), screen.width - width);
    const names = wrap(titles[index] ?? '', width - 2);
    return Array.from({ length: Math.max(values.length, names.length) }, (_, row) => {
      const title = names[row] ?? '';
      return `${screen.style('dim', title)}${' '.repeat(width - stringWidth(title))}${values[row] ?? ''}`.trimEnd();
    });
  });
  const sections = nested.map(([name, field]) => {
    if (isNothing(field)) return `${screen.style('dim', label(name))}  none\n`;
    const inner = indented(
      isTable(field)
        ? (screen) => list(field, [], screen, currency, name)
        : (screen) => section(field as Fields, screen, currency, name),
      screen,
    );
    return `${screen.style('bold', label(name))}\n${inner}`;
  });
  return lines.map((line) => `${line}\n`).join('') + sections.join('');
};

/** A nested object; one whose leaves are all alike (balances by tier and network) as a table with a row for each. */
const section = (value: Fields, screen: Screen, outer: string | undefined, name: string): string => {
  const currency = currencyOf(value) ?? outer;
  const rows = alike(value);
  return rows && rows.length > 1 ? list(rows, [], screen, currency, name) : fields(value, screen, currency);
};

const alike = (value: Fields): readonly Fields[] | undefined => {
  const leaves = leavesOf(value);
  const [first] = leaves ?? [];
  const names = (leaf: Fields) => Object.keys(leaf).join(' ');
  return first && leaves?.every((leaf) => names(leaf) === names(first)) ? leaves : undefined;
};

const leavesOf = (value: Fields, path: readonly string[] = []): readonly Fields[] | undefined => {
  const inner = Object.entries(value);
  if (inner.length === 0) return undefined;
  if (path.length > 0 && inner.every(([, field]) => isScalar(field)))
    return [{ ' ': path.map(label).join(', ').toLowerCase(), ...value }];
  const leaves = inner.map(([name, field]) => (isObject(field) ? leavesOf(field, [...path, name]) : undefined));
  return leaves.some((leaf) => leaf === undefined) ? undefined : leaves.flatMap((leaf) => leaf ?? []);
};

const list = (
  items: readonly Fields[],
  wanted: readonly string[],
  screen: Screen,
  currency?: string,
  of = '',
): string => {
  const rows = items.map((item) => flat(item));
  const known = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const chosen = wanted.filter((name) => known.includes(name));
  const names = chosen.length > 1 ? chosen : known;
  const columns = names.map((name) => {
    const isNumber = rows.every((row) => ['number', 'undefined'].includes(typeof (row.get(name) ?? undefined)));
    return { title: name === ' ' ? '' : label(name), ...(isNumber && { align: 'right' as const }) };
  });
  const cells = rows.map((row) => {
    const own = currencyOf({ currency: row.get('currency') }) ?? currency;
    return names.map((name) => scalar(row.get(name), name, own, of));
  });
  return table(columns, cells, screen);
};

/** An object as one row: nested objects by their paths, lists of objects by their number. */
const flat = (value: Fields, path = ''): ReadonlyMap<string, unknown> =>
  new Map(
    Object.entries(value).flatMap(([name, field]): (readonly [string, unknown])[] => {
      if (isObject(field)) return [...flat(field, `${path}${name}.`)];
      return [[path + name, isTable(field) ? field.length : field]];
    }),
  );

const indented = (show: (screen: Screen) => string, screen: Screen): string =>
  show({ ...screen, width: screen.width - 2 }).replaceAll(/^(?=.)/gm, '  ');

const currencyOf = ({ currency }: Fields): string | undefined =>
  typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : undefined;

/** `serviceDates.from` reads "Service dates from". */
const label = (name: string): string => {
  const words = wordsOf(name).join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** What a name is made of; abbreviations stay in capitals. */
const wordsOf = (name: string): readonly string[] =>
  tame(name)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s._-]+/)
    .map((word) => (/^[A-Z][a-z]/.test(word) || word.length === 1 ? word.toLowerCase() : word))
    .filter((word) => word !== '');

const scalar = (value: unknown, name = '', currency?: string, of = ''): string => {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number')
    return currency !== undefined && isMoney(name, of) ? money(value, currency) : String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((item) => scalar(item)).join(', ');
  return typeof value === 'string' ? dated(tame(value)) : tame(JSON.stringify(value));
};

/** A number near a currency is an amount when its name says so, or what it is a part of. */
const isMoney = (name: string, of: string): boolean =>
  /^(?:amount|paid|billed|allowed|charges?|costs?|price|balance|deductible|copay|premium|responsibility)$/i.test(
    wordsOf(name).at(-1) ?? '',
  ) ||
  (/^(?:limit|used|remaining)$/.test(name) && /deductible|out-?of-?pocket|copay|premium|amount/i.test(of));

const money = (value: number, currency: string): string =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    maximumFractionDigits: 4,
    // No sign for -0, nor for what is rounded to it.
    signDisplay: 'negative',
  })
    .format(value)
    .replaceAll('\u00a0', ' ');

/** Dates and times of ISO 8601 as people write them; times in UTC. */
const dated = (text: string): string => {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)))?$/.exec(text) ?? [];
  if (date === undefined) return text;
  const at = new Date(text);
  // There is no 30 February, but `Date` takes it for a day in March.
  if (Number.isNaN(at.getTime()) || new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) !== date) return text;
  const month = new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: 'UTC' }).format(at);
  const day = `${at.getUTCDate()} ${month} ${at.getUTCFullYear()}`;
  return time === undefined ? day : `${day} ${at.toISOString().slice(11, 16)} UTC`;
};
