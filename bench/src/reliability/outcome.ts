import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** One thing that must hold. */
export interface Line {
  readonly title: string;
  readonly seen: string;
  readonly wanted: string;
  readonly holds: boolean;
}

export const none = (title: string, count: number): Line => ({
  title,
  seen: `${count}`,
  wanted: '0',
  holds: count === 0,
});

export const machine = `${cpus().length} cores, Node ${process.versions.node}, ${process.platform}`;

/** In Markdown. */
export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
};

export const linesTable = (lines: readonly Line[]): string =>
  tableOf(
    ['what', 'seen', 'wanted', ''],
    lines.map(({ title, seen, wanted, holds }) => [title, seen, wanted, holds ? 'held' : '**MISSED**']),
  );

/** Leaves a JSON record of a run. */
export const record = (name: string, content: object): void => {
  const results = new URL('../../results/', import.meta.url);
  mkdirSync(results, { recursive: true });
  const at = new Date().toISOString();
  writeFileSync(
    new URL(`${name}-${at.replaceAll(':', '-')}.json`, results),
    `${JSON.stringify({ at, machine, ...content }, undefined, 2)}\n`,
  );
};
