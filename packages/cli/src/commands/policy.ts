import { ResultAsync } from 'neverthrow';
import type { CommandHandler } from '../program/command.ts';
import { readJsonInput } from '../session/input.ts';
import { asMember } from '../session/session.ts';
import { fail } from '../output/cli-error.ts';
import { isDryRun, printRequest } from '../session/dry-run.ts';
import { date, text } from '../output/field.ts';
import { showResource } from '../output/view.ts';

const show = showResource(
  [
    text('partyLocator'),
    text('name.display'),
    date('dateOfBirth'),
    text('address.line1'),
    text('address.line2'),
    text('address.postalCode'),
    text('address.city'),
    text('address.state'),
    text('address.country'),
    date('updatedAt'),
  ],
  {
    phones: [text('type'), text('number'), text('preferred')],
    emails: [text('type'), text('address'), text('preferred')],
    languages: [text('code'), text('preferred')],
  },
);

export const showProfile: CommandHandler = (context) =>
  asMember(context, 'policy', ({ use, member }) => use.getProfile(member), show);

export const setProfile: CommandHandler = async (context) => {
  const readInput = () => readJsonInput(context, context.args[0] ?? '');
  if (!isDryRun(context))
    return asMember(
      context,
      'policy',
      ({ use, member }) => new ResultAsync(readInput()).andThen((patch) => use.patchProfile(member, patch)),
      show,
      'write',
    );
  const patch = await readInput();
  if (patch.isErr()) return fail(patch.error, context);
  return printRequest(context, {
    method: 'PATCH',
    service: 'policy',
    operation: 'patchProfile',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: patch.value,
  });
};
