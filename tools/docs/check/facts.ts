import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../project.ts';
import { metricsPage } from '../reference/metrics.ts';
import { settingsPage } from '../reference/settings.ts';

/**
 * Compares the statements of pages about settings, their variables and metrics with the reference. Records describe the
 * past.
 */
export const checkFacts = (root: string, pages: readonly string[]): readonly Problem[] => {
  const settings = readSettings();
  const metrics = new Set(names(metricsPage(), metric));
  return checkLines(root, pages, (text) => [...defaultErrors(text, settings), ...metricErrors(text, metrics)]);
};

/** Checks each line of the pages, except those of records and of the generated reference. */
export const checkLines = (
  root: string,
  pages: readonly string[],
  errorsOf: (text: string, file: string) => readonly string[],
): readonly Problem[] =>
  pages
    .filter((file) => !/^docs\/(?:decisions|reference)\//.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((text, index) => errorsOf(text, file).map((message) => ({ file, line: index + 1, message }))),
    );

interface Setting {
  readonly path: string;
  readonly fallback: string;
  readonly variables: readonly string[];
}

/** The rows of the settings page: setting, type, default, variables, description. */
const readSettings = (): readonly Setting[] =>
  Array.from(
    settingsPage().matchAll(/^\| `([^`]+)` *\|[^|]*\|([^|]*)\|([^|]*)\|/gm),
    ([, path = '', fallback = '', variables = '']) => ({
      path,
      fallback: fallback.trim().replaceAll('`', ''),
      variables: names(variables, /`([A-Z_]+)`/g),
    }),
  );

const names = (text: string, pattern: RegExp): readonly string[] =>
  Array.from(text.matchAll(pattern), ([, name = '']) => name);

/** `limits.maxRequestBytes` (default 256 KiB), or with its variable: `metrics.host` (`METRICS_HOST`, default …). */
const stated =
  /`([A-Za-z]+(?:\.[A-Za-z<>]+)*|[A-Z]+(?:_[A-Z]+)+)` \((?:`([A-Z_]+)`)?(?:, )?(?:default `?([\w.,]+(?: [KM]iB)?))?/g;

const defaultErrors = (text: string, settings: readonly Setting[]): readonly string[] =>
  Array.from(text.matchAll(stated)).flatMap(([, name = '', variable, value]) => {
    const found = settings.filter(
      ({ path, variables }) => `.${anyId(path)}`.endsWith(`.${anyId(name)}`) || variables.includes(name),
    );
    // PORTICO_CLIENT_ID is read by commands and is no setting.
    if (variable === undefined && (value === undefined || name.startsWith('PORTICO_'))) return [];
    if (found.length === 0) return [`no such setting: ${name}`];
    if (variable !== undefined && !found.some(({ variables }) => variables.includes(variable)))
      return [`${variable} is not the variable of ${name}`];
    if (value === undefined || found.some(({ fallback }) => isStated(fallback, value))) return [];
    return [`the default of ${name} is ${found.map(({ fallback }) => fallback).join(' or ')}, not ${value}`];
  });

const anyId = (path: string): string => path.replaceAll(/<\w+>/g, '<>');

/** Of a list, the text may state the first value only. */
const isStated = (fallback: string, value: string): boolean =>
  fallback === `"${value}"` || fallback === plain(value) || fallback.startsWith(`["${value.replace(/,$/, '')}"`);

const plain = (value: string): string => {
  const [, digits, unit = ''] = /^(\d[\d,]*)(?: ([KM])iB)?,?$/.exec(value) ?? [];
  return digits === undefined
    ? value
    : String(Number(digits.replaceAll(',', '')) * { '': 1, K: 1024, M: 1024 ** 2 }[unit]!);
};

const metric = /\b(portico_[a-z_]+[a-z])\b/g;

const metricErrors = (text: string, metrics: ReadonlySet<string>): readonly string[] =>
  names(text, metric)
    .filter((name) => !metrics.has(name.replace(/_(?:bucket|sum|count)$/, '')))
    .map((name) => `no such metric: ${name}`);
