import type { Problem } from './check.ts';

/** Separates problems that are known from new ones, and finds known ones that no longer exist. */
export const compare = (problems: readonly Problem[], known: readonly string[]) => {
  const keys = new Set(problems.map(({ key }) => key));
  return {
    unknown: problems.filter(({ key }) => !known.includes(key)),
    tolerated: problems.filter(({ key }) => known.includes(key)),
    fixed: known.filter((key) => !keys.has(key)),
  };
};
