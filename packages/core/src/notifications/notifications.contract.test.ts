import { okAsync } from 'neverthrow';
import { generalPromises } from '../contract/supervision.ts';
import { changing, failed, testSuite } from '../contract/suite-test.test.support.ts';
import { unsafeInEveryService, unsafeVersions } from '../contract/unsafe-adapters.test.support.ts';
import {
  asFirstMember,
  cachedFromSecond,
  failuresAsMissing,
  ignoringQuery,
  losingWrites,
  member,
  missingAsStatus,
  mixingMembers,
  other as neverSet,
  returningFirstMember,
  reversed,
  showing,
} from '../contract/unsafe-operations.test.support.ts';
import { type Json, toJson } from '../shared/json/json.ts';
import { type NotificationsSubject, notificationsContract } from './notifications.contract.ts';
import type { Preferences } from './preferences.ts';
import { fakeNotifications, somePreferences } from './notifications.fake.ts';
import { startingPreferences } from './preferences.ts';

/** Makes every response different. */
let reads = 0;

const subject = (): NotificationsSubject => {
  const notifications = fakeNotifications({
    'PTY-1': { preferences: somePreferences, notifications: [{ type: 'claim' }], log: [{ channel: 'email' }] },
    'PTY-2': { preferences: null, notifications: [], log: [] },
  });
  const unmatched = { list: [['type', 'billing']], log: [['status', 'failed']] } as const;
  const fail: NotificationsSubject['fail'] = (fault) => notifications.failWith(failed('notifications', fault));
  return { notifications, member, neverSet, unmatched, fail };
};

const withNotifications = changing<'notifications', NotificationsSubject>('notifications');

/** Changes all preferences that are read. */
const preferencesWith = (change: (value: object) => object) =>
  withNotifications(({ preferences }) => {
    const read = showing(change)(preferences);
    return { preferences: read, ownPreferences: read };
  });

/** Keeps the preferences that were read last, of any member, until the next write. */
const keepingPreferences = withNotifications((notifications) => {
  let kept: Json | undefined;
  return {
    preferences: (of) => (kept ? okAsync(kept) : notifications.preferences(of).andTee((read) => (kept = read))),
    replacePreferences: (...args) =>
      notifications.replacePreferences(...args).andTee(() => {
        kept = undefined;
      }),
  };
});

testSuite<NotificationsSubject>(
  'notifications',
  notificationsContract,
  subject,
  [
    ...unsafeInEveryService<'notifications', NotificationsSubject>('notifications'),
    ...unsafeVersions<NotificationsSubject, Preferences>('write', 'notifications', (change) =>
      withNotifications(({ preferences, replacePreferences }) => ({
        replacePreferences: change(preferences, replacePreferences),
      })),
    ),
    [
      "lists one member's notifications to every member",
      withNotifications(({ list }) => ({ list: asFirstMember(list) })),
      generalPromises.members,
    ],
    [
      "lists one member's log to every member",
      withNotifications(({ log }) => ({ log: asFirstMember(log) })),
      generalPromises.members,
    ],
    [
      'returns default preferences when none were set',
      withNotifications((notifications) => ({
        preferences: (of) => notifications.preferences(of).orElse(() => okAsync(toJson(startingPreferences))),
      })),
      'fails not-found for preferences that were never set',
    ],
    [
      'fails with status 502 for own preferences that were never set',
      withNotifications(({ ownPreferences }) => ({ ownPreferences: missingAsStatus('notifications', ownPreferences) })),
      'fails not-found for own preferences that were never set',
    ],
    [
      "returns one member's preferences as the own preferences of every member",
      withNotifications(({ ownPreferences }) => ({ ownPreferences: asFirstMember(ownPreferences) })),
      'does not change the preferences of another member',
    ],
    [
      "keeps one member's preferences for every member until the next write",
      keepingPreferences,
      'does not change the preferences of another member',
    ],
    [
      "keeps one member's own preferences for every member, from the second read on",
      withNotifications(({ ownPreferences }) => ({ ownPreferences: cachedFromSecond(ownPreferences, () => '') })),
      'does not change the preferences of another member',
    ],
    [
      'reports preferences as stored without storing them',
      withNotifications(() => ({ replacePreferences: losingWrites() })),
      'replaces all preferences',
    ],
    [
      'stores only the preferences that are on',
      withNotifications((notifications) => ({
        replacePreferences: (of, preferences, ifMatch) =>
          notifications
            .preferences(of)
            .orElse(() => okAsync(toJson(preferences)))
            .andThen(({ value }) => {
              const merged = Object.entries(preferences).map(([name, isOn]) => [
                name,
                isOn || (value as Readonly<Record<string, boolean>>)[name],
              ]);
              return notifications.replacePreferences(of, Object.fromEntries(merged) as typeof preferences, ifMatch);
            }),
      })),
      'replaces all preferences',
    ],
    [
      'does not store the first preferences of a member',
      withNotifications((notifications) => ({
        replacePreferences: (of, preferences, ifMatch) =>
          notifications.preferences(of).andThen(() => notifications.replacePreferences(of, preferences, ifMatch)),
      })),
      'stores the first preferences of a member',
    ],
    [
      'lists notifications as a bare array',
      withNotifications(() => ({ list: () => okAsync(toJson([])) })),
      'lists notifications under the key "notifications"',
    ],
    [
      'lists the log under another key',
      withNotifications(() => ({ log: () => okAsync(toJson({ entries: [] })) })),
      'lists the delivery log under the key "log"',
    ],
    [
      'reports a source that is down as preferences that were never set',
      withNotifications(({ preferences }) => ({ preferences: failuresAsMissing('notifications', preferences) })),
      'fails as unreachable when its source closes connections',
    ],
    [
      "lists one member's notifications to every member, with the time",
      withNotifications((notifications) => ({
        list: (_, query) =>
          notifications.list(member, query).map(({ value }) => toJson({ ...(value as object), readAt: ++reads })),
      })),
      'does not list the entries of one member to another member',
    ],
    [
      "adds one member's log to that of every member",
      withNotifications((notifications) => ({
        log: (of, query) =>
          notifications.log(member, query).andThen((own) =>
            notifications.log(of, query).map((others) => {
              const [entries, more] = [others, own].map(
                ({ value }) => (value as { readonly log: readonly object[] }).log,
              );
              return of === member ? own : toJson({ log: [...entries!, { channel: 'sms' }, ...more!] });
            }),
          ),
      })),
      'does not list the entries of one member to another member',
    ],
    [
      'stores preferences for another member when calls overlap',
      withNotifications(({ replacePreferences }) => ({ replacePreferences: mixingMembers(replacePreferences) })),
      'keeps the preferences of two members apart when their calls overlap',
    ],
    [
      "reads another member's preferences when calls overlap",
      withNotifications(({ preferences }) => ({ preferences: mixingMembers(preferences) })),
      'keeps the preferences of two members apart when their calls overlap',
    ],
    [
      "returns another member's preferences from a write",
      withNotifications(({ preferences, replacePreferences }) => ({
        replacePreferences: returningFirstMember(preferences, replacePreferences),
      })),
      'keeps the preferences of two members apart when their calls overlap',
    ],
    [
      'ignores the query of the log',
      withNotifications(({ log }) => ({ log: ignoringQuery(log) })),
      'applies the query of the log',
    ],
    [
      'ignores the query of the notifications',
      withNotifications(({ list }) => ({ list: ignoringQuery(list) })),
      'applies the query of the notifications',
    ],
  ],
  [
    ['adds fields to preferences', preferencesWith((value) => ({ ...value, version: ++reads }))],
    ['stores preferences in another order', preferencesWith(reversed)],
    [
      'has no entity tags',
      withNotifications((notifications) => ({
        preferences: (of) => notifications.preferences(of).map(({ text, value }) => ({ text, value })),
      })),
    ],
  ],
);
