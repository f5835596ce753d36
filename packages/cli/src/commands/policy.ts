import type { CommandHandler } from '../session/command.ts';
import { asMember } from '../session/session.ts';
import { writeAsMember } from '../session/dry-run.ts';
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

const mergePatch = { 'content-type': 'application/merge-patch+json' };

export const setProfile: CommandHandler = (context) =>
  writeAsMember(
    context,
    { method: 'PATCH', service: 'policy', operation: 'patchProfile', headers: mergePatch },
    ({ use, member }, patch) => use.patchProfile(member, patch),
    show,
  );
