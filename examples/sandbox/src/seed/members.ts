import { accumulatorsFrom, type SeedAccumulators } from './accumulators.ts';
import type { SeedClaim } from './adjudication.ts';
import { claimsOfA, claimsOfB, claimsOfC } from './claim-records.ts';
import { coverageOfA, coverageOfB, coverageOfC, type SeedCoverage } from './coverage.ts';
import { documentsOf, type SeedDocument } from './document-records.ts';
import * as notes from './notification-records.ts';
import * as parties from './parties.ts';

export type { SeedDocument };

/** All data of one invented member, and the credentials. */
export interface SeedMember {
  readonly partyLocator: string;
  readonly username: string;
  readonly password: string;
  readonly name: string;
  readonly email: string;
  readonly coverage: SeedCoverage;
  readonly accumulators: SeedAccumulators;
  readonly claims: readonly SeedClaim[];
  readonly documents: readonly SeedDocument[];
  readonly profile: parties.SeedProfile;
  readonly consent: parties.SeedConsent;
  /** `null` for a member who never set any. */
  readonly preferences: notes.SeedPreferences | null;
  readonly notifications: readonly notes.SeedNotification[];
  readonly log: readonly notes.SeedLogEntry[];
}

/** The three members, created once and shared within the process: copy them before you change anything. */
export const seedMembers = (): Promise<readonly SeedMember[]> =>
  (made ??= Promise.all([memberA(), memberB(), memberC()]));

let made: Promise<readonly SeedMember[]> | undefined;

const memberA = (): Promise<SeedMember> =>
  member({
    username: 'member-a',
    password: 'sandbox-a',
    coverage: coverageOfA,
    claims: claimsOfA,
    profile: parties.profileOfA,
    consent: parties.consentOfA,
    preferences: notes.preferencesOfA,
    notifications: notes.notificationsOfA,
    log: notes.logOfA,
  });

const memberB = (): Promise<SeedMember> =>
  member({
    username: 'member-b',
    password: 'sandbox-b',
    coverage: coverageOfB,
    claims: claimsOfB,
    profile: parties.profileOfB,
    consent: parties.consentOfB,
    preferences: notes.preferencesOfB,
    notifications: notes.notificationsOfB,
    log: notes.logOfB,
  });

const memberC = (): Promise<SeedMember> =>
  member({
    username: 'member-c',
    password: 'sandbox-c',
    coverage: coverageOfC,
    claims: claimsOfC,
    profile: parties.profileOfC,
    consent: parties.consentOfC,
    preferences: null,
    notifications: notes.notificationsOfC,
    log: [],
  });

type Derived = 'partyLocator' | 'name' | 'email' | 'accumulators' | 'documents';

const member = async (input: Omit<SeedMember, Derived>): Promise<SeedMember> => {
  const { profile, coverage, claims } = input;
  const accumulators = accumulatorsFrom(coverage.plan.code, claims);
  return {
    ...input,
    partyLocator: profile.partyLocator,
    name: profile.name.display,
    email: `${input.username}@example.com`,
    accumulators,
    documents: await documentsOf({ profile, coverage, accumulators }, claims),
  };
};
