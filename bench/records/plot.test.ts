import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plotOf, shownPlot, shownRecord } from './plot.ts';
import { readRecord, type Row } from './record.ts';

const rates: Row = {
  title: 'rates <& more>',
  unit: 'requests/s',
  own: 8000,
  other: { name: 'Other', value: 4000, ratio: 2 },
  goal: { ratio: 1.5 },
  rounds: { own: [8000, 4000, 16_000], other: [4000, 4000, 4000] },
};
const times: Row = {
  title: 'times',
  unit: 'ms',
  own: 8,
  other: { name: 'Other', value: 4, ratio: 2 },
  goal: { atMost: 2 },
};
const limited: Row = { title: 'memory', unit: 'bytes', own: 50, goal: { atMost: 100 } };

const plotted = (...rows: readonly Row[]) => plotOf({ at: '2026-01-01T00:00:00.000Z', machine: 'a machine', rows });
const barsIn = (svg: string) =>
  Array.from(svg.matchAll(/<rect class="(\w+)" x="([\d.]+)"/g), ([, kind, x]) => [kind, x]);
const textsIn = (svg: string) => Array.from(svg.matchAll(/<text[^>]*>([^<]*)</g), ([, text]) => text);

describe('the picture of a record', () => {
  it('draws a bar to the right of 1 for what is better, and to the left for what is worse', () => {
    const [[, one] = []] = barsIn(plotted(limited));

    expect(barsIn(plotted(rates, times, limited))).toEqual([
      ['better', one],
      ['worse', expect.toSatisfy((x: string) => Number(x) < Number(one))],
      ['better', one],
    ]);
  });

  it('has every figure as text', () => {
    expect(textsIn(plotted(rates, times, limited))).toEqual(
      expect.arrayContaining([
        'rates &lt;&amp; more>',
        '2.00 × · 8,000 against 4,000 requests/s',
        '0.50 × · 8.00 against 4.00 ms',
        '2.00 × · 50.0 bytes',
      ]),
    );
  });

  it('shows the spread of the rounds, and the goal', () => {
    expect(plotted(rates).match(/class="spread"/g)).toHaveLength(1);
    expect(plotted(rates).match(/class="goal"/g)).toHaveLength(1);
    expect(plotted(limited)).not.toMatch(/class="(?:spread|goal)"/);
  });

  it('has colours for dark pages', () => {
    expect(plotted(rates)).toContain('@media (prefers-color-scheme: dark)');
  });

  it('the picture in docs/performance.md is drawn from the record beside it', () => {
    expect(readFileSync(shownPlot, 'utf8')).toBe(plotOf(readRecord(shownRecord)));
  });
});
