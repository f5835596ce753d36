import { writeFileSync } from 'node:fs';
import type { Command } from '../command.ts';
import { formatValue, isHigherBetter, readRecord, type Row, type SpeedRecord, spreadOf } from './record.ts';

const width = 920;
const lineHeight = 22;
const headingHeight = 30;
const top = 56;
/** The axis, in pixels and in times as good; logarithmic. */
const axis = { from: 250, to: 640, least: 0.25, most: 16 };
const ticks = [0.25, 0.5, 1, 2, 4, 8, 16];

/** Colours for light and dark pages; also used when the picture is opened on its own. */
const style = `
text { font: 13px system-ui, sans-serif; fill: #24292f }
.small { font-size: 12px } .bold { font-weight: 600 }
.better { fill: #1a7f37 } .worse { fill: #bc4c00 }
.grid { stroke: #d0d7de } .one { stroke: #57606a; stroke-width: 1.5 }
.spread { stroke: #24292f; stroke-width: 1.5 } .goal { fill: none; stroke: #0969da; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.better { fill: #3fb950 } .worse { fill: #f0883e }
.grid { stroke: #30363d } .one { stroke: #8b949e }
.spread { stroke: #e6edf3 } .goal { stroke: #58a6ff }
}`;

const xOf = (times: number): number => {
  const share = Math.log(times / axis.least) / Math.log(axis.most / axis.least);
  return axis.from + Math.min(1, Math.max(0, share)) * (axis.to - axis.from);
};

const pixels = (value: number): string => value.toFixed(1);

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** How many times as good as the other program, or as the limit if there is none, each part of a row is. */
const timesAsGood = (row: Row) => {
  const { own, other, goal } = row;
  const limit = goal && 'atMost' in goal ? goal.atMost : undefined;
  if (!other) return limit === undefined ? undefined : { value: limit / own, least: limit / own, most: limit / own };
  const { value, least, most } = spreadOf(row);
  if (isHigherBetter(row)) return { value, least, most, goal: goal && 'ratio' in goal ? goal.ratio : undefined };
  const goalAt = limit === undefined ? undefined : other.value / limit;
  return { value: 1 / value, least: 1 / most, most: 1 / least, goal: goalAt };
};

const comparedWith = ({ other, goal, unit }: Row): string => {
  if (other) return other.name;
  return goal && 'atMost' in goal ? `limit: ${formatValue(goal.atMost)} ${unit}` : '';
};

const figures = ({ own, other, unit }: Row): string =>
  other ? `${formatValue(own)} against ${formatValue(other.value)} ${unit}` : `${formatValue(own)} ${unit}`;

/** The bar of one row, with its spread, its goal and its figures. */
const barOf = (row: Row, y: number): string => {
  const times = timesAsGood(row);
  if (!times) return '';
  const [one, end] = [xOf(1), xOf(times.value)];
  const middle = y + 9;
  const parts = [
    `<text class="small" x="${axis.from - 10}" y="${y + 13}" text-anchor="end">${escape(comparedWith(row))}</text>`,
    `<rect class="${times.value >= 1 ? 'better' : 'worse'}" x="${pixels(Math.min(one, end))}" y="${y + 2}" width="${pixels(Math.abs(end - one))}" height="14"/>`,
  ];
  if (times.least !== times.most)
    parts.push(
      `<line class="spread" x1="${pixels(xOf(times.least))}" x2="${pixels(xOf(times.most))}" y1="${middle}" y2="${middle}"/>`,
    );
  if (times.goal !== undefined) parts.push(`<path class="goal" d="M${pixels(xOf(times.goal))} ${y}v18"/>`);
  parts.push(
    `<text class="small" x="${axis.to + 12}" y="${y + 13}">${formatValue(times.value)} × · ${escape(figures(row))}</text>`,
  );
  return parts.join('\n');
};

/**
 * The rows of a record as a bar chart in SVG: how many times as good as each other program Portico is, on a logarithmic axis.
 * Equal records give equal pictures. Every figure is also text.
 */
export const plotOf = ({ rows, machine, at }: SpeedRecord): string => {
  const bars: string[] = [];
  let y = top;
  for (const [title, group] of Map.groupBy(rows, (row) => row.title)) {
    bars.push(`<text class="bold" x="10" y="${y + 20}">${escape(title)}</text>`);
    y += headingHeight;
    for (const row of group) {
      bars.push(barOf(row, y));
      y += lineHeight;
    }
  }
  const grid = ticks.map((tick) => {
    const x = pixels(xOf(tick));
    return `<line class="${tick === 1 ? 'one' : 'grid'}" x1="${x}" x2="${x}" y1="${top}" y2="${y}"/>
<text class="small" x="${x}" y="${top - 8}" text-anchor="middle">${tick} ×</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 34}" role="img">
<title>Speed of Portico relative to other programs and to its limits</title>
<style>${style}
</style>
<text x="10" y="22">Times as good as the other program, or as the limit: more is better. Line: spread of the rounds. Blue: goal.</text>
${grid.join('\n')}
${bars.join('\n')}
<text class="small" x="10" y="${y + 22}">${escape(machine)}, ${at.slice(0, 10)}</text>
</svg>
`;
};

/** The record that docs/performance.md shows, and its picture. */
export const shownRecord = new URL('../../docs/performance/speed.json', import.meta.url);
export const shownPlot = new URL('../../docs/performance/speed.svg', import.meta.url);

/** `plot`: draws the picture of docs/performance.md from its record. */
export const plot: Command = async () => {
  writeFileSync(shownPlot, plotOf(readRecord(shownRecord)));
  return true;
};
