/**
 * Throws a `TypeError` for a setting that is not a number of at least `least`: a limit that is NaN, such as of a variable that is
 * not set, would never apply.
 */
export const checkNumbers = (settings: Readonly<Record<string, number>>, least: number): void => {
  for (const [name, value] of Object.entries(settings))
    if (!(value >= least)) throw new TypeError(`${name} must be a number of at least ${least}.`);
};
