import { onlyListIn, type View } from './print.ts';
import { isObject } from '@portico/core';
import { type Field, format, maxDepth, type Resource, titleOf, titleOfField, valueAt } from './field.ts';
import { type Screen, stripControlCharacters } from './screen.ts';
import { table, wrap } from './table.ts';

/** Shows a list of resources, under `name`, as a table with these columns. Only `--json` has their other fields. */
export const showList = (name: string, columns: readonly Field[], empty = 'No data.'): View =>
  Object.assign(showItems(name, columns, empty), {
    rows: (value: unknown): readonly unknown[] => {
      const items = isObject(value) ? value[name] : value;
      if (Array.isArray(items)) return items;
      // A list with another name, if the table would have a column for it.
      const other = isObject(value) && items === undefined ? onlyListIn(value) : undefined;
      return other && isTable(other, columns) ? other : [value];
    },
  });

const showItems =
  (name: string, columns: readonly Field[], empty: string): View =>
  (value, screen) => {
    const body: Resource = isObject(value) ? value : { [name]: value };
    const { [name]: items, ...rest } = body;
    if (!isTable(items, columns)) return showRest(value);
    const list = items.length === 0 ? `${empty}\n` : showTable(items, columns, body, screen);
    return list + (isEmpty(rest) ? '' : showRest(rest));
  };

/**
 * Shows one resource: the given fields as lines, the given lists as tables, and all other fields as indented JSON.
 */
export const showResource =
  (fields: readonly Field[], lists: Readonly<Record<string, readonly Field[]>> = {}): View =>
  (value, screen) => {
    if (!isObject(value)) return showRest(value);
    const lines = fields.filter(({ path }) => isScalar(valueAt(value, path)));
    const tables = Object.entries(lists).filter(([name, columns]) => isTable(value[name], columns));
    const shown = new Set([...lines.map(({ path }) => path.split('.')[0]), ...tables.map(([name]) => name)]);
    const rest = Object.fromEntries(Object.entries(value).filter(([name]) => !shown.has(name)));
    return [
      showFields(value, lines, screen),
      ...tables.map(([name, columns]) => {
        const items = value[name] as readonly Resource[];
        const title = screen.style('bold', titleOf(name));
        return items.length === 0 ? `${title}  none\n` : `${title}\n${showTable(items, columns, value, screen)}`;
      }),
      isEmpty(rest) && !isEmpty(value) ? '' : showRest(rest),
    ].join('');
  };

const showFields = (value: Resource, fields: readonly Field[], screen: Screen): string => {
  const width = Math.max(0, ...fields.map((field) => titleOfField(field).length)) + 2;
  return fields
    .map((field) => {
      const title = titleOfField(field);
      const lines = wrap(format(value, field, screen), screen.width - width).join(`\n${' '.repeat(width)}`);
      return `${screen.style('dim', title)}${' '.repeat(width - title.length)}${lines}\n`;
    })
    .join('');
};

const showTable = (items: readonly Resource[], fields: readonly Field[], list: Resource, screen: Screen): string => {
  const present = fields.filter(({ path }) => items.some((item) => valueAt(item, path) !== undefined));
  const columns = present.map((field) => ({
    title: titleOfField(field),
    ...(field.kind === 'amount' && { align: 'right' as const }),
  }));
  const currency = list['currency'];
  const rows = items.map((item) => present.map((field) => format({ currency, ...item }, field, screen)));
  return table(columns, rows, screen);
};

/** Formats indented JSON, up to `maxDepth`, and states whether it has deeper levels. Undefined: no content (204). */
const showRest = (value: unknown): string => {
  if (value === undefined) return 'Done.\n';
  if (isObject(value) && isEmpty(value)) return 'No data.\n';
  let isCut = false;
  const pruned = (part: unknown, depth: number): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if (depth === maxDepth) {
      isCut = true;
      return '…';
    }
    if (Array.isArray(part)) return part.map((item) => pruned(item, depth + 1));
    return Object.fromEntries(Object.entries(part).map(([name, field]) => [name, pruned(field, depth + 1)]));
  };
  const lines = JSON.stringify(pruned(value, 0), undefined, 2).split('\n');
  if (isCut) lines.push(`Levels beyond ${maxDepth} are not shown: use --json.`);
  return lines.map((line) => `${stripControlCharacters(line)}\n`).join('');
};

const isEmpty = (value: Resource): boolean => Object.keys(value).length === 0;

const isScalar = (value: unknown): boolean =>
  value !== undefined &&
  !isObject(value) &&
  !(Array.isArray(value) && value.some((item) => isObject(item) || Array.isArray(item)));

const isTable = (value: unknown, columns: readonly Field[]): value is readonly Resource[] =>
  Array.isArray(value) &&
  value.every(isObject) &&
  (value.length === 0 || columns.some(({ path }) => value.some((item) => valueAt(item, path) !== undefined)));
