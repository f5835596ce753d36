import { describe, expect, it } from 'vitest';
import { type Mutant, mutantsOf, undetected, withSecondRun } from './mutation/mutants.ts';
import { tableOf } from './mutation/table.ts';

const mutant = (line: number, status: Mutant['status']): Mutant => ({
  mutatorName: 'StringLiteral',
  replacement: '""',
  status,
  location: { start: { line, column: 11 }, end: { line, column: 14 } },
});

const source = "const a = 'x';\nconst b = 'y';\n";
const reportOf = (...mutants: readonly Mutant[]) =>
  mutantsOf(
    JSON.stringify({ files: { 'src/a.ts': { source, mutants }, 'src/untouched.ts': { source, mutants: [] } } }),
  );

describe('the mutants of two runs', () => {
  it('have the status of the second run if they survived the first', () => {
    const first = reportOf(mutant(1, 'NoCoverage'), mutant(2, 'Killed'));
    const second = reportOf(mutant(1, 'Killed'), mutant(2, 'Survived'));
    expect(undetected(withSecondRun(first, second))).toEqual([]);
  });

  it('stay survivors when no test of the second run covers them', () => {
    const merged = withSecondRun(reportOf(mutant(1, 'Survived')), reportOf(mutant(1, 'NoCoverage')));
    expect(undetected(merged)).toEqual([{ file: 'src/a.ts', mutant: mutant(1, 'Survived') }]);
  });

  it('keep the status of the first run if the second did not try them', () => {
    const first = reportOf(mutant(1, 'Survived'), mutant(2, 'NoCoverage'));
    expect(undetected(withSecondRun(first, reportOf(mutant(2, 'Timeout'))))).toEqual([
      { file: 'src/a.ts', mutant: mutant(1, 'Survived') },
    ]);
  });
});

describe('the table of mutants', () => {
  it('has the score of each file, without ignored mutants, and shows each survivor', () => {
    const table = tableOf(reportOf(mutant(1, 'Killed'), mutant(2, 'Survived'), mutant(2, 'Ignored')));
    expect(table.split('\n').slice(2)).toEqual([
      '| src/a.ts | 2 | 1 | 0 | 1 | 0 | 50.0 |',
      '| all | 2 | 1 | 0 | 1 | 0 | 50.0 |',
      '',
      `- src/a.ts:2 Survived StringLiteral: \`'y'\` → \`""\` in \`const b = 'y';\``,
      '',
    ]);
  });
});
