import { failingSourcePromises, type FailingSource } from '../contract/failing-source.ts';
import { isSame } from '../contract/json-result.ts';
import { check, equal, failsAs, stored, succeeds } from '../contract/assertions.ts';
import { contractSuite } from '../contract/contract-suite.ts';
import { versionPromises } from '../contract/version-promises.ts';
import type { Member } from '../shared/member.ts';
import { isObject } from '../shared/json/json.ts';
import type { Notifications } from './notifications.port.ts';
import type { ListQuery } from '../shared/list-query.ts';
import type { Preferences } from './preferences.ts';

export interface NotificationsSubject extends FailingSource {
  readonly notifications: Notifications;
  /** A member who has set preferences. Without notifications and log entries, their lists are tested less. */
  readonly member: Member;
  /** A member who has never set any, with other notifications and log entries than `member`. */
  readonly neverSet: Member;
  /** A query of each list that the service supports, and that not all entries of `member` match. */
  readonly unmatched?: { readonly list: ListQuery; readonly log: ListQuery };
}

const quiet: Preferences = {
  email: true,
  sms: false,
  push: false,
  claimsUpdates: true,
  billingAlerts: false,
  enrollmentReminders: false,
};

const loud: Preferences = {
  email: false,
  sms: true,
  push: true,
  claimsUpdates: false,
  billingAlerts: true,
  enrollmentReminders: true,
};

const entriesIn = (name: string, value: unknown): readonly unknown[] => {
  const entries = isObject(value) ? value[name] : undefined;
  return Array.isArray(entries) ? entries : [];
};

/** Checks that a list has fewer entries with a query that excludes some. */
const appliesQuery = async (
  name: string,
  list: (query: ListQuery) => ReturnType<Notifications['list']>,
  unmatched: ListQuery,
) => {
  const values = await Promise.all([[], unmatched].map(async (query) => (await succeeds(list(query))).value));
  const [all = 0, matching = 0] = values.map((value) => entriesIn(name, value).length);
  check(matching < all, `an entry that the query excludes is not in "${name}"`);
};

const versions = [quiet, loud, { ...quiet, email: !quiet.email }] as const;

export const notificationsContract = contractSuite<NotificationsSubject>(
  'notifications',
  {
    'fails not-found for preferences that were never set': async ({ notifications, neverSet }) => {
      await failsAs('not-found', notifications.preferences(neverSet));
    },
    "returns the preferences of the token's member": async ({ notifications, member }) => {
      await succeeds(notifications.replacePreferences(member, quiet));
      stored(
        (await succeeds(notifications.ownPreferences(member))).value,
        quiet,
        "the preferences of the token's member",
      );
    },
    'fails not-found for own preferences that were never set': async ({ notifications, neverSet }) => {
      await failsAs('not-found', notifications.ownPreferences(neverSet));
    },
    'stores the first preferences of a member': async ({ notifications, neverSet }) => {
      await succeeds(notifications.replacePreferences(neverSet, quiet));
      stored((await succeeds(notifications.preferences(neverSet))).value, quiet, 'the preferences read back');
    },
    'does not change the preferences of another member': async ({ notifications, member, neverSet }) => {
      await succeeds(notifications.replacePreferences(member, quiet));
      await failsAs('not-found', notifications.preferences(neverSet));
      await succeeds(notifications.replacePreferences(neverSet, loud));
      // Not at the same time, and in this order: a cache may keep preferences from their second read on.
      for (const reader of [member, member, member, neverSet, member]) {
        const [written, whose] = reader === member ? [quiet, "the first member's"] : [loud, "the other member's"];
        stored((await succeeds(notifications.preferences(reader))).value, written, `${whose} preferences`);
        stored((await succeeds(notifications.ownPreferences(reader))).value, written, `${whose} own preferences`);
      }
    },
    'replaces all preferences': async ({ notifications, member }) => {
      await succeeds(notifications.replacePreferences(member, loud));
      stored((await succeeds(notifications.preferences(member))).value, loud, 'the first preferences');
      await succeeds(notifications.replacePreferences(member, quiet));
      stored((await succeeds(notifications.preferences(member))).value, quiet, 'the preferences');
    },
    'lists notifications under the key "notifications"': async ({ notifications, member }) => {
      const { value } = await succeeds(notifications.list(member, []));
      check(isObject(value) && Array.isArray(value['notifications']), '"notifications" is an array');
    },
    'lists the delivery log under the key "log"': async ({ notifications, member }) => {
      const { value } = await succeeds(notifications.log(member, []));
      check(isObject(value) && Array.isArray(value['log']), '"log" is an array');
    },
    'does not list the entries of one member to another member': async ({ notifications, member, neverSet }) => {
      const lists = [notifications.list, notifications.log];
      for (const [nth, name] of ['notifications', 'log'].entries()) {
        const [own, others] = await Promise.all(
          [member, neverSet].map(async (of) => entriesIn(name, (await succeeds(lists[nth]!(of, []))).value)),
        );
        const areListed = own!.every((entry) => others!.some((one) => isSame(one, entry)));
        check(own!.length === 0 || !areListed, `"${name}" of another member does not contain them`);
      }
    },
    'applies the query of the notifications': async ({ notifications, member, unmatched }) => {
      if (unmatched) await appliesQuery('notifications', (query) => notifications.list(member, query), unmatched.list);
    },
    'applies the query of the log': async ({ notifications, member, unmatched }) => {
      if (unmatched) await appliesQuery('log', (query) => notifications.log(member, query), unmatched.log);
    },
    'keeps the preferences of two members apart when their calls overlap': async (subject) => {
      const { notifications, member, neverSet } = subject;
      const writes = [[member, quiet] as const, [neverSet, loud] as const];
      const written = await Promise.all(
        writes.map(async ([of, preferences]) => succeeds(notifications.replacePreferences(of, preferences))),
      );
      const { email } = written[1]!.value as Partial<Preferences>;
      equal(email ?? loud.email, loud.email, 'a preference in the result of the other write');
      const reads = [notifications.preferences, notifications.ownPreferences].map((read) =>
        Promise.all([member, neverSet].map(async (of) => (await succeeds(read(of))).value)),
      );
      for (const values of await Promise.all(reads)) stored(values, [quiet, loud], 'the preferences of both members');
    },
    ...versionPromises<NotificationsSubject>('write', versions, ({ notifications, member }) => ({
      read: () => notifications.preferences(member),
      write: (nth, ifMatch) => notifications.replacePreferences(member, versions[nth], ifMatch),
    })),
    ...failingSourcePromises<NotificationsSubject>('notifications', ({ notifications, member }) => [
      () => notifications.preferences(member),
      () => notifications.list(member, []),
      () => notifications.replacePreferences(member, quiet),
    ]),
  },
  { reads: ['list', 'log'] },
);
