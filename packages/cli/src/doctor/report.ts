import { mark } from '../output/progress.ts';
import { type Screen, stripControlCharacters } from '../output/screen.ts';
import { table } from '../output/table.ts';
import type { CheckResult, Finding } from './check.ts';
import type { RuleResult } from './token.ts';

/** Everything that doctor found, as `--json` prints it. */
export interface Report {
  /** No check and no rule failed. */
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
  /** Missing when no token was given. */
  readonly token?: readonly RuleResult[];
}

export const reportOf = (checks: readonly CheckResult[], token: readonly RuleResult[] | undefined): Report => ({
  ok: [...checks, ...(token ?? [])].every(({ outcome }) => outcome !== 'failed'),
  checks,
  ...(token && { token }),
});

/** A line for each check, then for each rule of the token, and a summary. */
export const showReport = ({ checks, token = [] }: Report, screen: Screen): string =>
  [
    showChecks(checks, screen),
    ...(token.length > 0 ? [showRules(token, screen)] : []),
    `${summaryOf([...checks, ...token])}\n`,
  ].join('\n');

const showChecks = (checks: readonly CheckResult[], screen: Screen): string =>
  table(
    [{ title: '' }, { title: 'Check' }, { title: 'ms', align: 'right' }, { title: 'Result' }],
    checks.map(({ name, outcome, elapsedMs, detail, advice }) => [
      markOf(outcome, screen),
      name,
      String(elapsedMs),
      sentence([outcome === 'not-tested' ? `not tested: ${detail}` : detail, ...(advice ? [advice] : [])]),
    ]),
    screen,
  );

/** The result, and what to do. */
const sentence = (parts: readonly string[]): string => stripControlCharacters(parts.join('. '));

const showRules = (rules: readonly RuleResult[], screen: Screen): string =>
  table(
    [{ title: '' }, { title: 'Token' }, { title: 'Expected' }, { title: 'Found' }],
    rules.map(({ rule, outcome, expected, found }) => [
      markOf(outcome, screen),
      rule,
      stripControlCharacters(expected),
      stripControlCharacters(found),
    ]),
    screen,
  );

const markOf = (outcome: Finding['outcome'], screen: Screen): string =>
  mark(({ ok: 'good', failed: 'bad', 'not-tested': 'none' } as const)[outcome], screen);

const summaryOf = (lines: readonly Pick<Finding, 'outcome'>[]): string => {
  const count = (outcome: Finding['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  return `${count('ok')} passed, ${count('failed')} failed, ${count('not-tested')} not tested.`;
};
