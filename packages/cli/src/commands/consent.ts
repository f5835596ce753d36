import type { CommandHandler } from '../session/command.ts';
import { asMember } from '../session/session.ts';
import { writeAsMember } from '../session/dry-run.ts';
import { date, state, text } from '../output/field.ts';
import { showList } from '../output/view.ts';

const show = showList(
  'consents',
  [text('purpose'), state('state'), text('version'), date('updatedAt')],
  'No consents.',
);

export const showConsent: CommandHandler = (context) =>
  asMember(context, 'consent', ({ use, member }) => use.getConsent(member), show);

export const setConsent: CommandHandler = (context) =>
  writeAsMember(
    context,
    { method: 'PUT', service: 'consent', operation: 'replace' },
    ({ use, member }, state) => use.putConsent(member, state),
    show,
  );
