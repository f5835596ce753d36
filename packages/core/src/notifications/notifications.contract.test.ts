import { errAsync, okAsync } from 'neverthrow';
import { generalPromises } from '../contract/supervision.ts';
import { failed, mixingMembers, testSuite, unsafeInEveryService } from '../contract/unsafe-adapters.test.support.ts';
import { notFound, upstreamStatus } from '../shared/failure.ts';
import { toJson } from '../shared/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { type NotificationsSubject, notificationsContract } from './notifications.contract.ts';
import { fakeNotifications, somePreferences } from './notifications.fake.ts';
import type { Notifications } from './notifications.port.ts';
import { startingPreferences } from './preferences.ts';

const member = aMember('PTY-1', 'token.of.PTY-1');
const neverSet = aMember('PTY-2', 'token.of.PTY-2');

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

const withNotifications =
  (change: (notifications: Notifications) => Partial<Notifications>) =>
  (good: NotificationsSubject): NotificationsSubject => ({
    ...good,
    notifications: { ...good.notifications, ...change(good.notifications) },
  });

/** Changes all preferences that are read. */
const showing = (change: (value: object) => object) =>
  withNotifications((notifications) => {
    const read: Notifications['preferences'] = (of) =>
      notifications.preferences(of).map(({ value, etag = '' }) => ({ ...toJson(change(value as object)), etag }));
    return { preferences: read, ownPreferences: read };
  });

testSuite<NotificationsSubject>(
  'notifications',
  notificationsContract,
  subject,
  [
    ...unsafeInEveryService<'notifications', NotificationsSubject>('notifications'),
    [
      "lists one member's notifications to every member",
      withNotifications((notifications) => ({ list: (_, query) => notifications.list(member, query) })),
      generalPromises.members,
    ],
    [
      "lists one member's log to every member",
      withNotifications((notifications) => ({ log: (_, query) => notifications.log(member, query) })),
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
      withNotifications((notifications) => ({
        ownPreferences: (of) =>
          notifications
            .ownPreferences(of)
            .mapErr((failure) => (failure.kind === 'not-found' ? upstreamStatus('notifications', 404) : failure)),
      })),
      'fails not-found for own preferences that were never set',
    ],
    [
      "returns one member's preferences as the own preferences of every member",
      withNotifications((notifications) => ({ ownPreferences: () => notifications.ownPreferences(member) })),
      'does not change the preferences of another member',
    ],
    [
      'reports preferences as stored without storing them',
      withNotifications(() => ({ replacePreferences: (_, preferences) => okAsync(toJson(preferences)) })),
      'stores replaced preferences',
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
      'ignores the entity tag of a write',
      withNotifications((notifications) => ({
        replacePreferences: (of, preferences) => notifications.replacePreferences(of, preferences),
      })),
      'rejects a write with an outdated entity tag',
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
      withNotifications((notifications) => ({
        preferences: (of) => notifications.preferences(of).orElse(() => errAsync(notFound('notifications'))),
      })),
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
      withNotifications((notifications) => ({ replacePreferences: mixingMembers(notifications.replacePreferences) })),
      'keeps the preferences of two members apart when their calls overlap',
    ],
    [
      "reads another member's preferences when calls overlap",
      withNotifications((notifications) => ({ preferences: mixingMembers(notifications.preferences) })),
      'keeps the preferences of two members apart when their calls overlap',
    ],
    [
      "returns another member's preferences from a write",
      withNotifications((notifications) => ({
        replacePreferences: (...args) =>
          notifications.replacePreferences(...args).andThen(() => notifications.preferences(member)),
      })),
      'keeps the preferences of two members apart when their calls overlap',
    ],
    [
      'accepts entity tags that it has never sent',
      withNotifications((notifications) => ({
        replacePreferences: (of, preferences, ifMatch) =>
          notifications.replacePreferences(of, preferences, ifMatch === '"1"' ? ifMatch : undefined),
      })),
      'rejects a write with an entity tag that it has never sent',
    ],
    [
      'ignores the query of the log',
      withNotifications((notifications) => ({ log: (of) => notifications.log(of, []) })),
      'applies the query of the log',
    ],
    [
      'ignores the query of the notifications',
      withNotifications((notifications) => ({ list: (of) => notifications.list(of, []) })),
      'applies the query of the notifications',
    ],
  ],
  [
    ['adds fields to preferences', showing((value) => ({ ...value, version: ++reads }))],
    ['stores preferences in another order', showing((value) => Object.fromEntries(Object.entries(value).toReversed()))],
    [
      'has no entity tags',
      withNotifications((notifications) => ({
        preferences: (of) => notifications.preferences(of).map(({ text, value }) => ({ text, value })),
      })),
    ],
  ],
);
