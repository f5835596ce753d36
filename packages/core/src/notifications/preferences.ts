import { err, ok, type Result } from 'neverthrow';
import { type Failure, type InputError, invalid, listedNames, pointerToken } from '../shared/failure.ts';
import { givenFields } from '../shared/given-fields.ts';
import { isObject } from '../shared/json/json.ts';

export const preferenceNames = [
  'email',
  'sms',
  'push',
  'claimsUpdates',
  'billingAlerts',
  'enrollmentReminders',
] as const;

/** The notification channels and topics of a member: all six, each a boolean. */
export type Preferences = Readonly<Record<(typeof preferenceNames)[number], boolean>>;

/** The first preferences of a member who never set any: e-mail on all topics, no SMS, no push. */
export const startingPreferences: Preferences = {
  email: true,
  sms: false,
  push: false,
  claimsUpdates: true,
  billingAlerts: true,
  enrollmentReminders: true,
};

/** Requires all six and rejects other fields: a PUT replaces, so a missing field would be a silent reset. */
export const parsePreferences = (value: unknown): Result<Preferences, Failure> => {
  if (!isObject(value)) return err(refused({ path: '', message: 'must be a JSON object' }));
  const wrong = preferenceNames
    .filter((name) => !Object.hasOwn(value, name) || typeof value[name] !== 'boolean')
    .map((name) => ({ path: `/${name}`, message: 'must be true or false' }));
  const unknown = listedNames(
    Object.keys(value).filter((name) => !(preferenceNames as readonly string[]).includes(name)),
  ).map((name) => ({ path: `/${pointerToken(name)}`, message: 'unknown preference' }));
  if (wrong.length + unknown.length > 0) return err(refused(...wrong, ...unknown));
  return ok(Object.fromEntries(preferenceNames.map((name) => [name, value[name]])) as Preferences);
};

/** Changes some of the six. A field that is undefined changes nothing. Fails `invalid` as `parsePreferences` does. */
export const changed = (before: Preferences, change: Partial<Preferences>): Result<Preferences, Failure> =>
  parsePreferences({ ...before, ...givenFields(change) });

/** Reads the six from a service's response and ignores other fields. Undefined when one is missing or not a boolean. */
export const readPreferences = (value: unknown): Preferences | undefined =>
  isObject(value) && preferenceNames.every((name) => typeof value[name] === 'boolean')
    ? (Object.fromEntries(preferenceNames.map((name) => [name, value[name]])) as Preferences)
    : undefined;

const refused = (...errors: readonly InputError[]) =>
  invalid(`Preferences must have exactly these fields, each true or false: ${preferenceNames.join(', ')}.`, ...errors);
