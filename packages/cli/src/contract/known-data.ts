import { isLocator, type ListQuery, parseListQuery } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { type CliError, usageError } from '../output/cli-error.ts';
import { type CommandContext, stringOption } from '../session/command.ts';
import { parameterIn } from '../session/list-query.ts';

/** What the service is known to have about the first test member. Everything may be missing. */
export interface KnownData {
  /** The locator of a claim or document. */
  readonly resource?: string;
  readonly unmatched?: ListQuery;
  readonly coverage?: string;
  readonly accumulators?: string;
  readonly profile?: string;
}

export const knownData = (context: CommandContext): Result<KnownData, CliError> => {
  const names = ['resource', 'coverage', 'accumulators', 'profile'] as const;
  const { resource, ...parts } = Object.fromEntries(names.map((name) => [name, stringOption(context, name)]));
  if (resource !== undefined && !isLocator(resource)) return err(usageError('--resource is not a valid locator.'));
  const given = stringOption(context, 'unmatched');
  const unmatched = given === undefined ? undefined : queryIn(given);
  if (given !== undefined && unmatched === undefined)
    return err(usageError('--unmatched is not a list parameter.', 'Give a name and a value, such as status=denied.'));
  const known = Object.entries({ ...parts, resource, unmatched }).filter(([, value]) => value !== undefined);
  return ok(Object.fromEntries(known) as KnownData);
};

const queryIn = (text: string): ListQuery | undefined => {
  const parameter = parameterIn(text);
  return parameter && parseListQuery([parameter]).unwrapOr(undefined);
};
