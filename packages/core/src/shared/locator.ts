import { err, ok, type Result } from 'neverthrow';
import { type Failure, invalid } from './failure.ts';

declare const brand: unique symbol;

/** A validated string; the brand names the validation. */
export type Branded<Name extends string> = string & { readonly [brand]: Name };

export const locatorPattern = String.raw`^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`;
const locatorInPath = new RegExp(locatorPattern);

/** Whether a value is a valid path locator: 1–128 characters of `[A-Za-z0-9._:-]`, no `..` (contract, section 2). */
export const isLocator = (value: unknown): value is string => typeof value === 'string' && locatorInPath.test(value);

export const locatorRule = 'must be 1 to 128 letters, digits, dots, underscores, colons or hyphens, without ".."';

/** Validates a locator in a path. Fails `invalid`. */
export const parseLocator = <Locator extends Branded<string>>(value: string): Result<Locator, Failure> =>
  isLocator(value)
    ? ok(value as Locator)
    : err(
        invalid('The locator in the path is not valid.', {
          path: '/locator',
          message: locatorRule,
        }),
      );
