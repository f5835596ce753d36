import type { View } from './answer.ts';
import { type Screen, tame } from './screen.ts';
import { table, wrap } from './table.ts';

/**
 * Shows whatever a service answered. The fields of its resources are its own, so nothing here depends on any: scalars
 * become lines, lists of objects become tables, and the columns of a table are the `wanted` ones where they exist.
 */
export const showAnswer =
  (wanted: readonly string[] = []): View =>
  (value, screen) => {
    if (value === undefined) return 'Done.\n';
    if (!isObject(value)) return Array.isArray(value) ? list(value, wanted, screen) : `${scalar(value)}\n`;
    const [only, ...others] = Object.entries(value).filter(([, field]) => isTable(field));
    const rest = Object.entries(value).filter(([name]) => name !== only?.[0]);
    // A list, and what is said about it: `{claims: […], total: 3}`.
    if (only && others.length === 0 && rest.every(([, field]) => isScalar(field)))
      return (
        list(only[1] as readonly object[], wanted, screen, currencyOf(value)) + fields(Object.fromEntries(rest), screen)
      );
    const [name, empty] = Object.entries(value)[0] ?? [];
    if (Object.keys(value).length === 1 && Array.isArray(empty) && empty.length === 0)
      return `No ${label(name ?? '').toLowerCase()}.\n`;
    return fields(value, screen);
  };

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Array.isArray(value) && !isTable(value));
const isTable = (value: unknown): value is readonly Fields[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

/** An object: its scalars line by line, then what is nested, each under its name. */
const fields = (value: Fields, screen: Screen, currency = currencyOf(value)): string => {
  const scalars = Object.entries(value).filter(([, field]) => isScalar(field));
  const nested = Object.entries(value).filter(([, field]) => !isScalar(field));
  const width = Math.max(0, ...scalars.map(([name]) => label(name).length)) + 2;
  const lines = scalars.flatMap(([name, field]) => {
    const [first = '', ...more] = wrap(scalar(field, name, currency), screen.width - width);
    const title = label(name);
    return [
      `${screen.style('dim', title)}${' '.repeat(width - title.length)}${first}`,
      ...more.map((text) => ' '.repeat(width) + text),
    ];
  });
  const sections = nested.map(([name, field]) => {
    const inner = indented(
      isTable(field)
        ? (screen) => list(field, [], screen, currency)
        : (screen) => section(field as Fields, screen, currency),
      screen,
    );
    return `${screen.style('bold', label(name))}\n${inner}`;
  });
  return lines.map((line) => `${line}\n`).join('') + sections.join('');
};

/** A nested object; one whose leaves are all alike (balances by tier and network) as a table with a row for each. */
const section = (value: Fields, screen: Screen, outer: string | undefined): string => {
  const currency = currencyOf(value) ?? outer;
  const rows = alike(value);
  return rows && rows.length > 1 ? list(rows, [], screen, currency) : fields(value, screen, currency);
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

const list = (items: readonly unknown[], wanted: readonly string[], screen: Screen, currency?: string): string => {
  const rows = items.map((item) => (isObject(item) ? flat(item) : new Map([[' ', item]])));
  const known = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const chosen = wanted.filter((name) => known.includes(name));
  const names = chosen.length > 1 ? chosen : known;
  const columns = names.map((name) => {
    const isNumber = rows.every((row) => ['number', 'undefined'].includes(typeof (row.get(name) ?? undefined)));
    return { title: name === ' ' ? '' : label(name), ...(isNumber && { align: 'right' as const }) };
  });
  const cells = rows.map((row) => {
    const own = row.get('currency');
    return names.map((name) => scalar(row.get(name), name, typeof own === 'string' ? own : currency));
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
  const words = tame(name)
    .replaceAll(/[._-]+/g, ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const scalar = (value: unknown, name = '', currency?: string): string => {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number')
    return currency !== undefined && isMoney(name) ? money(value, currency) : String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((item) => scalar(item)).join(', ');
  return typeof value === 'string' ? dated(tame(value)) : tame(JSON.stringify(value));
};

/** A number near a currency is an amount when its name says so. */
const isMoney = (name: string): boolean =>
  /(?:amount|paid|billed|allowed|charged?|cost|price|balance|limit|used|remaining|deductible|copay|premium|total|due|responsibility)s?$/i.test(
    name,
  );

const money = (value: number, currency: string): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency, currencyDisplay: 'code' })
    .format(value)
    .replaceAll('\u00a0', ' ');

/** Dates and times of ISO 8601 as people write them; times in UTC. */
const dated = (text: string): string => {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)))?$/.exec(text) ?? [];
  if (date === undefined) return text;
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const month = new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: 'UTC' }).format(at);
  const day = `${at.getUTCDate()} ${month} ${at.getUTCFullYear()}`;
  return time === undefined ? day : `${day} ${at.toISOString().slice(11, 16)} UTC`;
};
