import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

export const machine = `${cpus().length} cores, Node ${process.versions.node}, ${process.platform}`;

/** A table in Markdown. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
};

/** Writes a JSON record of a run to `bench/results`. */
export const writeRecord = (name: string, content: object): void => {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  writeFileSync(
    new URL(`${name}-${at.replaceAll(':', '-')}.json`, folder),
    `${JSON.stringify({ at, machine, ...content }, undefined, 2)}\n`,
  );
};
