import { locatorClaimOf, type Member, namesMember } from '@portico/core';
import { aMember } from '@portico/core/testing';
import { err, ok, type Result } from 'neverthrow';
import { type CliError, usageError } from '../output/cli-error.ts';
import { type CommandContext, stringOption } from '../session/command.ts';
import { signInProvider } from '../settings/sections/identity-schema.ts';
import { claimsIn } from '../settings/setting-types.ts';

/** The test members of a run. Those without a token, or without a locator if the service gets no token, are missing. */
export interface TestMembers {
  readonly member: Member;
  readonly other?: Member;
  readonly unknown?: Member;
}

/** Where the token of each test member comes from. Never a flag: other users can read a command line. */
export const tokenVariables = {
  member: 'PORTICO_CONTRACT_TOKEN',
  other: 'PORTICO_CONTRACT_OTHER_TOKEN',
  unknown: 'PORTICO_CONTRACT_UNKNOWN_TOKEN',
} as const;

type Role = keyof typeof tokenVariables;

/**
 * Returns the test members. Their tokens are not verified, because the service under test does that. The locator of a
 * member is that of the flag, such as `--other`, or of the token. A service that gets no member's token needs only flags.
 */
export const testMembers = (context: CommandContext, needsTokens: boolean): Result<TestMembers, CliError> => {
  const members: Partial<Record<Role, Member>> = {};
  for (const role of Object.keys(tokenVariables) as Role[]) {
    const isNamed = stringOption(context, role) !== undefined;
    const token = context.env[tokenVariables[role]]?.trim() || (isNamed && !needsTokens ? unsentToken : undefined);
    if (token === undefined) continue;
    const created = memberOf(role, token, context);
    if (created.isErr()) return err(created.error);
    members[role] = created.value;
  }
  const { member, ...others } = members;
  if (!member)
    return err(
      needsTokens
        ? usageError('The token of the first test member is missing.', `Set ${tokenVariables.member}.`)
        : usageError('The first test member is missing.', 'Give its locator with --member.'),
    );
  const locators = Object.values(members).map(({ locator }) => locator);
  return new Set(locators).size === locators.length
    ? ok({ member, ...others })
    : err(
        usageError('Two test members have the same locator.', 'Set each variable to the token of a different member.'),
      );
};

/** A placeholder, for services that receive another token or none. */
const unsentToken = 'unsent';

const memberOf = (role: Role, token: string, context: CommandContext): Result<Member, CliError> => {
  const variable = tokenVariables[role];
  if (!/^[\x21-\x7e]+$/.test(token)) return err(usageError(`${variable} is not an access token.`));
  const given = stringOption(context, role);
  const claims = given === undefined ? claimsIn(token) : { sub: given };
  const claim = given === undefined ? signInProvider(context.loaded.settings)?.locatorClaim : 'sub';
  return namesMember(claims, claim)
    ? ok(aMember(String(claims[locatorClaimOf(claims, claim)]), token))
    : err(usageError(`${variable} has no valid locator of a member.`, `Give the locator with --${role}.`));
};
