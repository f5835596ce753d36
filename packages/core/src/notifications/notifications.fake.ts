import { type ByMember, type Fails, failsOnPurpose, recordOf, select, versionedRecords } from '../shared/fake.ts';
import { toJson } from '../shared/json.ts';
import type { Member } from '../shared/member.ts';
import type { Notifications } from './notifications.port.ts';
import type { Preferences } from './preferences.ts';

/** What the fake knows of a member; `preferences` is null when they were never set. */
export interface FakeNotificationsOfMember {
  readonly preferences: Preferences | null;
  readonly notifications: readonly object[];
  readonly log: readonly object[];
}

/** Preferences for tests: some on, some off, and other than the starting ones. */
export const somePreferences: Preferences = {
  email: true,
  sms: false,
  push: true,
  claimsUpdates: true,
  billingAlerts: false,
  enrollmentReminders: true,
};

export type FakeNotifications = Notifications & Fails;

export const fakeNotifications = (members: ByMember<FakeNotificationsOfMember> = {}): FakeNotifications => {
  const { answer, ...failing } = failsOnPurpose();
  const records = new Map(Object.entries(members));
  const ofMembers = Object.entries(members).map(([locator, { preferences }]) => [locator, preferences] as const);
  const { read, write } = versionedRecords('notifications', Object.fromEntries(ofMembers));
  const preferences = (member: Member) => answer(() => read(member));
  return {
    ...failing,
    preferences,
    ownPreferences: preferences,
    replacePreferences: (member, preferences, ifMatch) => answer(() => write(member, ifMatch, () => preferences)),
    list: (member, query) =>
      answer(() =>
        recordOf('notifications', records, member).map((own) =>
          toJson({ notifications: select(own.notifications, query) }),
        ),
      ),
    log: (member, query) =>
      answer(() => recordOf('notifications', records, member).map((own) => toJson({ log: select(own.log, query) }))),
  };
};
