import { ResultAsync } from 'neverthrow';
import type { CommandHandler } from '../program/command.ts';
import { readJsonInput } from '../session/input.ts';
import { asMember } from '../session/session.ts';
import { date, text } from '../output/field.ts';
import { showList } from '../output/view.ts';

const show = showList('consents', [text('purpose'), text('state'), text('version'), date('updatedAt')], 'No consents.');

export const showConsent: CommandHandler = (context) =>
  asMember(context, 'consent', ({ use, member }) => use.getConsent(member), show);

export const setConsent: CommandHandler = (context) =>
  asMember(
    context,
    'consent',
    ({ use, member }) =>
      new ResultAsync(readJsonInput(context, context.args[0] ?? '')).andThen((state) => use.putConsent(member, state)),
    show,
  );
