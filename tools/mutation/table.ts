import { type Mutant, type MutantsOfFile, undetected } from './mutants.ts';

const count = (mutants: readonly Mutant[], status: Mutant['status']) =>
  mutants.filter((mutant) => mutant.status === status).length;

/** Detected mutants in per cent of those that compile and run. */
const row = (name: string, mutants: readonly Mutant[]) => {
  const [killed, timeout, survived, uncovered] = (['Killed', 'Timeout', 'Survived', 'NoCoverage'] as const).map(
    (status) => count(mutants, status),
  ) as [number, number, number, number];
  const total = killed + timeout + survived + uncovered;
  const score = total === 0 ? '' : ((100 * (killed + timeout)) / total).toFixed(1);
  return `| ${[name, total, killed, timeout, survived, uncovered, score].join(' | ')} |`;
};

/** Where a survivor is, and its first line before and after the mutation. */
const survivor = (
  source: string,
  file: string,
  { location: { start, end }, replacement, status, mutatorName }: Mutant,
) => {
  const lines = source.split('\n');
  const line = lines[start.line - 1] ?? '';
  const original =
    end.line === start.line ? line.slice(start.column - 1, end.column - 1) : `${line.slice(start.column - 1)} …`;
  return `- ${file}:${start.line} ${status} ${mutatorName}: \`${original}\` → \`${replacement.split('\n')[0]}\` in \`${line.trim()}\``;
};

/** A Markdown table of the scores of all files, and the list of undetected mutants. */
export const tableOf = (files: readonly MutantsOfFile[]): string => {
  const sources = new Map(files.map(({ file, source }) => [file, source]));
  return [
    '| File | Mutants | Killed | Timeout | Survived | No coverage | Score |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...files.map(({ file, mutants }) => row(file, mutants)),
    row(
      'all',
      files.flatMap(({ mutants }) => mutants),
    ),
    '',
    ...undetected(files).map(({ file, mutant }) => survivor(sources.get(file) ?? '', file, mutant)),
    '',
  ].join('\n');
};
