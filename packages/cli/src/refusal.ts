import type { SettingProblem } from './settings/load.ts';
import { showProblems } from './settings/show.ts';

/** Says why nothing was done: to people on stderr and, with `--json`, as the one document on stdout. Gives the exit code. */
export const refuse = (headline: string, problems: readonly SettingProblem[], json: boolean): 2 => {
  process.stderr.write(`portico: ${headline}\n${showProblems(problems)}`);
  if (json) printProblems(problems);
  return 2;
};

/** The answer of every command that was refused and has `--json`. */
export const printProblems = (problems: readonly SettingProblem[]): void => {
  process.stdout.write(`${JSON.stringify({ ok: false, problems })}\n`);
};
