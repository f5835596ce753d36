import { preferenceNames, readPreferences, toJson } from '@portico/core';
import type { View } from '../output/print.ts';
import type { CommandHandler } from '../session/command.ts';
import { listQuery } from '../session/list-query.ts';
import { onOff, parsePreferenceChange } from '../session/preference-assignments.ts';
import { fail } from '../output/cli-error.ts';
import { isDryRun, printRequest } from '../session/dry-run.ts';
import { asMember } from '../session/session.ts';
import { date, state, text } from '../output/field.ts';
import { showList, showResource } from '../output/view.ts';

export const listNotifications: CommandHandler = (context) =>
  asMember(
    context,
    'notifications',
    ({ use, member }) => use.listNotifications(member, listQuery(context)),
    showList('notifications', [date('createdAt'), text('title'), text('body')], 'No notifications.'),
  );

export const readLog: CommandHandler = (context) =>
  asMember(
    context,
    'notifications',
    ({ use, member }) => use.readNotificationLog(member, listQuery(context)),
    showList(
      'log',
      [date('sentAt'), text('channel'), text('template'), text('to'), state('status')],
      'Nothing was sent.',
    ),
  );

export const showPreferences: CommandHandler = (context) =>
  asMember(context, 'notifications', ({ use, member }) => use.getPreferences(member), viewPreferences);

export const setPreferences: CommandHandler = async (context) => {
  const change = parsePreferenceChange(context.args);
  if (change.isErr()) return fail(change.error, context);
  if (isDryRun(context)) {
    process.stderr.write('portico: The preferences that you do not name are read first and sent unchanged.\n');
    const body = toJson(change.value);
    return printRequest(context, { method: 'PUT', service: 'notifications', operation: 'replacePreferences', body });
  }
  return asMember(
    context,
    'notifications',
    // Reads the preferences that are not named, so it needs the scope of reading too.
    ({ use, member, token }) =>
      use.authenticate(token, 'read').andThen(() => use.changePreferences(member, change.value)),
    viewPreferences,
    'write',
  );
};

/** Shows the six preferences by the names that `set` accepts, then all other fields of the response. */
const viewPreferences: View = (value, screen) => {
  const preferences = readPreferences(value);
  if (!preferences) return showResource([])(value, screen);
  const width = Math.max(...preferenceNames.map((name) => name.length));
  const rest = Object.entries(value as object).filter(([name]) => !Object.hasOwn(preferences, name));
  return (
    preferenceNames
      .map((name) => `${screen.style('dim', name.padEnd(width))}  ${onOff(preferences[name])}\n`)
      .join('') + (rest.length > 0 ? showResource([])(Object.fromEntries(rest), screen) : '')
  );
};
