/** Returns a Markdown table, formatted as the formatter would, so that generated pages need no formatting. */
export const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string => {
  const cells = [columns, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = columns.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[], blank = ' ') =>
    `|${widths.map((width, column) => ` ${(row[column] ?? '').padEnd(width, blank)} `).join('|')}|`;
  const [head = [], ...body] = cells;
  return [line(head), line([], '-'), ...body.map((row) => line(row))].join('\n');
};

export const code = (text: string): string => `\`${text}\``;

/** Returns a page with a note that it is generated, so that it is not edited directly. */
export const generated = (title: string, ...parts: readonly string[]): string =>
  [`# ${title}`, ...parts, '_This page is generated from the source. To update it, run `npm run docs -- write`._'].join(
    '\n\n',
  ) + '\n';
