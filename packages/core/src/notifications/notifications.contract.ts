import { failingSourcePromises, type FailingSource } from '../contract/failing-source.ts';
import { contractSuite, equal, failsAs, check, succeeds } from '../shared/contract.ts';
import type { Member } from '../shared/member.ts';
import { isObject } from '../shared/request-body.ts';
import type { Notifications } from './notifications.port.ts';
import type { Preferences } from './preferences.ts';

export interface NotificationsSubject extends FailingSource {
  readonly notifications: Notifications;
  /** A member who has set preferences. Without notifications and log entries, their lists are tested less. */
  readonly member: Member;
  /** A member who has never set any, with other notifications and log entries than `member`. */
  readonly neverSet: Member;
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

export const notificationsContract = contractSuite<NotificationsSubject>(
  'notifications',
  {
    'fails not-found for preferences that were never set': async ({ notifications, neverSet }) => {
      await failsAs('not-found', notifications.preferences(neverSet));
    },
    "returns the preferences of the token's member": async ({ notifications, member }) => {
      await succeeds(notifications.replacePreferences(member, quiet));
      equal(
        (await succeeds(notifications.ownPreferences(member))).value,
        quiet,
        "the preferences of the token's member",
      );
    },
    'fails not-found for own preferences that were never set': async ({ notifications, neverSet }) => {
      await failsAs('not-found', notifications.ownPreferences(neverSet));
    },
    'stores replaced preferences': async ({ notifications, member }) => {
      await succeeds(notifications.replacePreferences(member, quiet));
      equal((await succeeds(notifications.preferences(member))).value, quiet, 'the preferences read back');
    },
    'rejects a write with an outdated entity tag': async ({ notifications, member }) => {
      const { etag } = await succeeds(notifications.preferences(member));
      if (etag === undefined) return;
      await succeeds(notifications.replacePreferences(member, quiet, etag));
      await failsAs('precondition-failed', notifications.replacePreferences(member, { ...quiet, sms: true }, etag));
      equal((await succeeds(notifications.preferences(member))).value, quiet, 'the preferences');
    },
    'stores the first preferences of a member': async ({ notifications, neverSet }) => {
      await succeeds(notifications.replacePreferences(neverSet, quiet));
      equal((await succeeds(notifications.preferences(neverSet))).value, quiet, 'the preferences read back');
    },
    'does not change the preferences of another member': async ({ notifications, member, neverSet }) => {
      await succeeds(notifications.replacePreferences(member, quiet));
      await failsAs('not-found', notifications.preferences(neverSet));
      await succeeds(notifications.replacePreferences(neverSet, loud));
      equal((await succeeds(notifications.preferences(member))).value, quiet, "the first member's preferences");
      equal((await succeeds(notifications.ownPreferences(member))).value, quiet, "the first member's own preferences");
      equal((await succeeds(notifications.ownPreferences(neverSet))).value, loud, "the other member's own preferences");
    },
    'replaces all preferences': async ({ notifications, member }) => {
      await succeeds(notifications.replacePreferences(member, loud));
      equal((await succeeds(notifications.preferences(member))).value, loud, 'the first preferences');
      await succeeds(notifications.replacePreferences(member, quiet));
      equal((await succeeds(notifications.preferences(member))).value, quiet, 'the preferences');
    },
    'lists notifications under the key "notifications"': async ({ notifications, member }) => {
      const { value } = await succeeds(notifications.list(member, []));
      check(isObject(value) && Array.isArray(value['notifications']), '"notifications" is an array');
    },
    'lists the delivery log under the key "log"': async ({ notifications, member }) => {
      const { value } = await succeeds(notifications.log(member, []));
      check(isObject(value) && Array.isArray(value['log']), '"log" is an array');
    },
    ...failingSourcePromises<NotificationsSubject>('notifications', ({ notifications, member }) => [
      () => notifications.preferences(member),
      () => notifications.list(member, []),
      () => notifications.replacePreferences(member, quiet),
    ]),
  },
  { reads: ['list', 'log'] },
);
