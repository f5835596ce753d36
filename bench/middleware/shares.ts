import { type Requirement, requirement } from '../requirements.ts';
import { median } from '../statistics.ts';

/** What one middleware adds to a request. */
export interface Added {
  readonly name: string;
  /** Microseconds of processor time: the median of the rounds. */
  readonly microseconds: number;
  /** Relative to a request of Koa alone, because a machine that is slower is slower for both. */
  readonly share: number;
}

/**
 * What each step adds to the one before it. `rounds` has for each round the processor time of a request in each step; the
 * first step is Koa alone.
 */
export const addedBySteps = (names: readonly string[], rounds: readonly (readonly number[])[]): readonly Added[] =>
  names.slice(1).map((name, at) => ({
    name,
    microseconds: median(rounds.map((round) => round[at + 1]! - round[at]!)),
    share: median(rounds.map((round) => (round[at + 1]! - round[at]!) / round[0]!)),
  }));

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** A middleware must not add more than its budget, a share of a request of Koa alone; one without a budget is missed. */
export const withinBudget = (
  added: readonly Added[],
  budgets: Readonly<Record<string, number>>,
): readonly Requirement[] =>
  added.map(({ name, share }) => {
    const budget = budgets[name];
    const title = `${name}, relative to Koa alone`;
    if (budget === undefined) return requirement(title, percent(share), false, 'a budget');
    return requirement(title, percent(share), share <= budget, `at most ${percent(budget)}`);
  });
