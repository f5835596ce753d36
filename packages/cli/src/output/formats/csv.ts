import { isObject } from '@portico/core';
import { maxDepth } from '../field.ts';

/** Formats rows as CSV (RFC 4180): a header with the paths of all scalar fields, then a line per row. */
export const csv = (rows: readonly unknown[]): string => {
  const records = rows.map(recordOf);
  const columns = [...new Set(records.flatMap((record) => [...record.keys()]))];
  if (columns.length === 0) return '';
  const lines = [columns, ...records.map((record) => columns.map((column) => record.get(column) ?? ''))];
  return lines.map((line) => `${line.map(quoted).join(',')}\r\n`).join('');
};

/** The cells of a row by path. If two fields have the same path, as `"a.b"` and `b` of `a`, the row is one cell with JSON. */
const recordOf = (row: unknown): ReadonlyMap<string, string> => {
  const all = cells(row);
  const record = new Map(all);
  return record.size === all.length ? record : new Map([['value', cellOf(row)]]);
};

/** Returns the paths and values of a row. A list, and whatever is nested too deeply, is one cell with JSON. */
const cells = (value: unknown, path: readonly string[] = []): (readonly [string, string])[] =>
  isObject(value) && path.length < maxDepth
    ? Object.entries(value).flatMap(([name, inner]) => cells(inner, [...path, name]))
    : [[path.join('.') || 'value', cellOf(value)]];

const cellOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : (JSON.stringify(value) ?? '');

const quoted = (cell: string): string => {
  const text = isFormula(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** A spreadsheet would run it, and a formula can send other cells to a URL. Numbers and phone numbers are not formulas. */
const isFormula = (cell: string): boolean => /^[=+\-@\t\r]/.test(cell) && !/^[+-][\d .()eE+-]*$/.test(cell);
