import { ResultAsync } from 'neverthrow';
import type { CommandHandler } from '../program/command.ts';
import { readJsonInput } from '../session/input.ts';
import { asMember } from '../session/session.ts';
import { fail } from '../output/cli-error.ts';
import { isDryRun, printRequest } from '../session/dry-run.ts';
import { date, state, text } from '../output/field.ts';
import { showList } from '../output/view.ts';

const show = showList(
  'consents',
  [text('purpose'), state('state'), text('version'), date('updatedAt')],
  'No consents.',
);

export const showConsent: CommandHandler = (context) =>
  asMember(context, 'consent', ({ use, member }) => use.getConsent(member), show);

export const setConsent: CommandHandler = async (context) => {
  const readInput = () => readJsonInput(context, context.args[0] ?? '');
  if (!isDryRun(context))
    return asMember(
      context,
      'consent',
      ({ use, member }) => new ResultAsync(readInput()).andThen((state) => use.putConsent(member, state)),
      show,
      'write',
    );
  const state = await readInput();
  if (state.isErr()) return fail(state.error, context);
  return printRequest(context, {
    method: 'PUT',
    service: 'consent',
    operation: 'replace',
    body: state.value,
  });
};
