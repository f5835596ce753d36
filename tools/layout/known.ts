import type { Problem } from './check.ts';

/** Splits problems into new and known ones, and lists known ones that no longer exist. */
export const compare = (problems: readonly Problem[], known: readonly string[]) => {
  const keys = new Set(problems.map(({ key }) => key));
  return {
    unknown: problems.filter(({ key }) => !known.includes(key)),
    tolerated: problems.filter(({ key }) => known.includes(key)),
    fixed: known.filter((key) => !keys.has(key)),
  };
};
