import { preferenceNames, type Preferences } from '@portico/core';
import type { Edits, Values } from '../form/edits.ts';

export type PreferenceName = (typeof preferenceNames)[number];

/** Undefined: the member has not chosen yet. */
export type Choice = boolean | undefined;

export const topics = [
  'claimsUpdates',
  'billingAlerts',
  'enrollmentReminders',
] as const satisfies readonly PreferenceName[];

export const channels = ['email', 'sms', 'push'] as const satisfies readonly PreferenceName[];

/** Only the six preferences shown here: a service may return more, or fewer. `null`: the member never set any. */
export const choicesOf = (saved: Partial<Preferences> | null): Values<Choice> =>
  new Map(preferenceNames.map((name) => [name, typeof saved?.[name] === 'boolean' ? saved[name] : undefined]));

/** The body of a write: all six, because a write replaces them. */
export const withChoices = (newest: Partial<Preferences> | null, edits: Edits<Choice>): object =>
  Object.fromEntries([...choicesOf(newest), ...edits]);

/** In the order of the page. */
export const missingChoices = (choiceOf: (name: PreferenceName) => Choice): readonly PreferenceName[] =>
  [...topics, ...channels].filter((name) => choiceOf(name) === undefined);

/** Whether the member gets a topic by a channel; undefined before the choices that it depends on. */
export const isSent = (topic: Choice, channel: Choice): Choice => {
  if (topic === false || channel === false) return false;
  return topic && channel;
};
