import type { View } from '../answer.ts';
import type { Perform } from '../call.ts';
import { listQuery } from '../list-query.ts';
import { onOff, readChange } from '../preference-words.ts';
import { refuse } from '../refusal.ts';
import { asMember } from '../session.ts';
import { showAnswer } from '../view.ts';

export const listNotifications: Perform = (call) =>
  asMember(
    call,
    ({ use, member }) => use.listNotifications(member, listQuery(call)),
    showAnswer(['createdAt', 'title', 'body']),
  );

export const readLog: Perform = (call) =>
  asMember(
    call,
    ({ use, member }) => use.readNotificationLog(member, listQuery(call)),
    showAnswer(['sentAt', 'channel', 'template', 'to', 'status']),
  );

export const showPreferences: Perform = (call) =>
  asMember(call, ({ use, member }) => use.getPreferences(member), viewPreferences);

export const setPreferences: Perform = async (call) => {
  const change = readChange(call.args);
  if (change.isErr()) return refuse(change.error, call);
  return asMember(call, ({ use, member }) => use.changePreferences(member, change.value), viewPreferences);
};

/** The six in their order, on or off; anything else that the service says as it is. */
const viewPreferences: View = (value, screen) => {
  if (typeof value !== 'object' || value === null) return showAnswer()(value, screen);
  const entries = Object.entries(value).map(([name, field]) => [
    name,
    typeof field === 'boolean' ? onOff(field) : field,
  ]);
  return showAnswer()(Object.fromEntries(entries), screen);
};
