import { contractSuite, equal, failsAs, holds, succeeds } from '../shared/contract.ts';
import type { Member } from '../shared/member.ts';
import { isObject } from '../shared/request-body.ts';
import type { Notifications } from './notifications.port.ts';
import type { Preferences } from './preferences.ts';

export interface NotificationsSubject {
  readonly notifications: Notifications;
  /** A member who has set preferences. */
  readonly member: Member;
  /** A member who has never set any. */
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

export const notificationsContract = contractSuite<NotificationsSubject>('notifications', {
  'does not find preferences that were never set': async ({ notifications, neverSet }) => {
    await failsAs('not-found', notifications.preferences(neverSet));
  },
  'gives a member their own preferences without being told whose': async ({ notifications, member }) => {
    await succeeds(notifications.replacePreferences(member, quiet));
    equal((await succeeds(notifications.ownPreferences(member))).value, quiet, 'their own preferences');
  },
  'does not find own preferences that were never set': async ({ notifications, neverSet }) => {
    await failsAs('not-found', notifications.ownPreferences(neverSet));
  },
  'keeps the preferences that a member sets': async ({ notifications, member }) => {
    await succeeds(notifications.replacePreferences(member, quiet));
    equal((await succeeds(notifications.preferences(member))).value, quiet, 'the preferences read back');
  },
  'refuses a write on the condition of a version that is no longer there': async ({ notifications, member }) => {
    const { etag } = await succeeds(notifications.preferences(member));
    if (etag === undefined) return;
    await succeeds(notifications.replacePreferences(member, quiet, etag));
    await failsAs('precondition-failed', notifications.replacePreferences(member, { ...quiet, sms: true }, etag));
    equal((await succeeds(notifications.preferences(member))).value, quiet, 'the preferences');
  },
  'keeps the preferences of a member who had none': async ({ notifications, neverSet }) => {
    await succeeds(notifications.replacePreferences(neverSet, quiet));
    equal((await succeeds(notifications.preferences(neverSet))).value, quiet, 'the preferences read back');
  },
  'lists notifications under the key "notifications"': async ({ notifications, member }) => {
    const { value } = await succeeds(notifications.list(member, []));
    holds(isObject(value) && Array.isArray(value['notifications']), '"notifications" is an array');
  },
  'gives the log under the key "log"': async ({ notifications, member }) => {
    const { value } = await succeeds(notifications.log(member, []));
    holds(isObject(value) && Array.isArray(value['log']), '"log" is an array');
  },
});
