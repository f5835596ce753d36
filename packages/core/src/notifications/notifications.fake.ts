import { type ByMember, type Fails, failOnDemand, recordOf, select, versionedRecords } from '../shared/fake.ts';
import { toJson } from '../shared/json/json.ts';
import type { Member } from '../shared/member.ts';
import type { Notifications } from './notifications.port.ts';
import type { Preferences } from './preferences.ts';

/** The data of one member; `preferences` is null when they were never set. */
export interface FakeNotificationsOfMember {
  readonly preferences: Preferences | null;
  readonly notifications: readonly object[];
  readonly log: readonly object[];
}

/** Preferences for tests: some on, some off, and different from `startingPreferences`. */
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
  const { respond, ...failing } = failOnDemand();
  const records = new Map(Object.entries(members));
  const ofMembers = Object.entries(members).map(([locator, { preferences }]) => [locator, preferences] as const);
  const { read, write } = versionedRecords('notifications', Object.fromEntries(ofMembers));
  const preferences = (member: Member) => respond(() => read(member));
  return {
    ...failing,
    preferences,
    ownPreferences: preferences,
    replacePreferences: (member, preferences, ifMatch) => respond(() => write(member, ifMatch, () => preferences)),
    list: (member, query) =>
      respond(() =>
        recordOf('notifications', records, member).map((own) =>
          toJson({ notifications: select(own.notifications, query, 'createdAt') }),
        ),
      ),
    log: (member, query) =>
      respond(() =>
        recordOf('notifications', records, member).map((own) => toJson({ log: select(own.log, query, 'sentAt') })),
      ),
  };
};
