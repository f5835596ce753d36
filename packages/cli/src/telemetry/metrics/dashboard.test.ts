import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bearer, searchFor, sendJson } from '../../program/outside-world.test.support.ts';
import { measuredPortico } from './measured-portico.test.support.ts';

const readText = (name: string) => readFileSync(new URL(`../../../../../docs/deploy/${name}`, import.meta.url), 'utf8');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(readText('grafana-dashboard.json')) as {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
  readonly panels: readonly Panel[];
};
const expressions = {
  'grafana-dashboard.json': dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  'alerts.yaml': Array.from(readText('alerts.yaml').matchAll(/^ +expr: (.+)$/gm), ([, expression = '']) => expression),
};

/** The label values by label, by the name of the series. */
type Series = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Returns all series of an instance after requests that create every series in the two files. */
const servedSeries = async (): Promise<Series> => {
  setFlagsFromString('--expose-gc');
  const { url, identity, metrics, watchRedis } = await measuredPortico({ onTestFinished }, (response) =>
    sendJson(response, {}),
  );
  onTestFinished(watchRedis(() => undefined));
  for (const path of ['/livez', '/readyz', '/health', '/me/documents/DOC-1'])
    await (await fetch(url + path, bearer(identity.token()))).text();
  await (await searchFor(url)).text();
  for (const path of ['/on_search', '/on_discover'])
    await (await fetch(url + path, { method: 'POST', body: '{}' })).text();
  (runInNewContext('gc') as () => void)();
  await expect.poll(metrics, { interval: 1 }).toContain('nodejs_gc_duration_seconds_sum{kind="major"}');
  const series = new Map<string, Map<string, Set<string>>>();
  for (const [, name = '', labels = ''] of (await metrics()).matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = series.get(name) ?? new Map<string, Set<string>>();
    series.set(name, known);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g))
      known.set(label, (known.get(label) ?? new Set()).add(value));
  }
  return series;
};

/** The labels that Prometheus adds to every series. */
const addedLabels: ReadonlySet<string> = new Set(['job', 'instance']);

/** Returns the metrics, labels and label values of an expression that do not exist. */
const mistakesIn = (expression: string, series: Series): readonly string[] => {
  const names = expression.match(/\b(?:portico|nodejs|process)_\w+/g) ?? [];
  const mistakes = names.filter((name) => !series.has(name));
  const has = (name: string, label: string) => addedLabels.has(label) || series.get(name)?.has(label) === true;
  for (const [, name = '', matchers = ''] of expression.matchAll(/(\w+)\{([^}]*)\}/g))
    if (name !== 'up')
      for (const [, label = '', values = ''] of matchers.matchAll(/(\w+)[=!]~?"([^"]*)"/g)) {
        if (!has(name, label)) mistakes.push(`${name} has no ${label}`);
        if (addedLabels.has(label) || label === 'status') continue;
        for (const value of values.split('|'))
          if (![...(series.get(name)?.get(label) ?? [])].some((served) => new RegExp(`^${value}$`).test(served)))
            mistakes.push(`${name} is never ${label}="${value}"`);
      }
  for (const [, labels = ''] of expression.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of labels.split(/, ?/))
      mistakes.push(...names.filter((name) => !has(name, label)).map((name) => `${name} has no ${label}`));
  return mistakes;
};

describe('the dashboard and the alerts', () => {
  it('uses only metrics, labels and values that an instance serves', async () => {
    const series = await servedSeries();

    for (const [file, texts] of Object.entries(expressions)) {
      expect(texts.length, file).toBeGreaterThan(8);
      // `and` combines expressions of which each has its own labels.
      for (const text of texts.flatMap((expression) => expression.split(' and ')))
        expect(mistakesIn(text, series), `${file}: ${text}`).toEqual([]);
    }
  });

  it('uses every metric of portico', async () => {
    const seen = Object.values(expressions).flat().join('\n');
    const metrics = [...(await servedSeries()).keys()].flatMap((name) =>
      name.startsWith('portico_') ? [name.replace(/_(?:bucket|sum|count)$/, '')] : [],
    );

    expect(new Set(metrics.filter((name) => !seen.includes(name)))).toEqual(new Set());
  });
});

describe('the dashboard', () => {
  it('the dashboard has a variable for the data source, and a row for each area', () => {
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(39);
    expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    expect(dashboard.panels.flatMap(({ type, title }) => (type === 'row' ? [title] : []))).toEqual([
      'Requests',
      'Identity',
      'Downstreams',
      'Search',
      'Process',
    ]);
  });

  it('the dashboard has a unique id for every panel', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});
