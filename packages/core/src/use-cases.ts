import {
  type GetClaim,
  getClaim,
  type ListClaims,
  listClaims,
  type SubmitClaim,
  submitClaim,
} from './claims/claims.ts';
import { type GetConsent, getConsent, type PutConsent, putConsent } from './consent/consent.ts';
import { type GetDocument, getDocument, type ListDocuments, listDocuments } from './documents/documents.ts';
import { type GetAccumulators, getAccumulators, type GetCoverage, getCoverage } from './eligibility/eligibility.ts';
import { type Authenticate, authenticate, type RequestToken, requestToken } from './identity/identity.ts';
import {
  type ChangePreferences,
  changePreferences,
  type GetPreferences,
  getPreferences,
  type ListNotifications,
  listNotifications,
  type PutPreferences,
  putPreferences,
  type ReadNotificationLog,
  readNotificationLog,
} from './notifications/notifications.ts';
import { type RunPreferencesJourney, runPreferencesJourney } from './notifications/preferences-journey.ts';
import { type GetProfile, getProfile, type PatchProfile, patchProfile } from './policy/policy.ts';
import type { Ports } from './ports.ts';

/** The use cases of the member API. */
export interface UseCases {
  readonly authenticate: Authenticate;
  readonly requestToken: RequestToken;
  readonly getCoverage: GetCoverage;
  readonly getAccumulators: GetAccumulators;
  readonly listClaims: ListClaims;
  readonly getClaim: GetClaim;
  readonly submitClaim: SubmitClaim;
  readonly listDocuments: ListDocuments;
  readonly getDocument: GetDocument;
  readonly getProfile: GetProfile;
  readonly patchProfile: PatchProfile;
  readonly getPreferences: GetPreferences;
  readonly putPreferences: PutPreferences;
  readonly changePreferences: ChangePreferences;
  readonly getConsent: GetConsent;
  readonly putConsent: PutConsent;
  readonly listNotifications: ListNotifications;
  readonly readNotificationLog: ReadNotificationLog;
  readonly runPreferencesJourney: RunPreferencesJourney;
}

export interface CoreSettings {
  /** The claim with the member's locator, or `auto` (default): `partyLocator` if present, else `sub`. */
  readonly locatorClaim?: string;
}

export const createUseCases = (ports: Ports, { locatorClaim }: CoreSettings = {}): UseCases => ({
  authenticate: authenticate(ports.identity, locatorClaim),
  requestToken: requestToken(ports.identity),
  getCoverage: getCoverage(ports.eligibility),
  getAccumulators: getAccumulators(ports.eligibility),
  listClaims: listClaims(ports.claims),
  getClaim: getClaim(ports.claims),
  submitClaim: submitClaim(ports.claims),
  listDocuments: listDocuments(ports.documents),
  getDocument: getDocument(ports.documents),
  getProfile: getProfile(ports.policy),
  patchProfile: patchProfile(ports.policy),
  getPreferences: getPreferences(ports.notifications),
  putPreferences: putPreferences(ports.notifications),
  changePreferences: changePreferences(ports.notifications),
  getConsent: getConsent(ports.consent),
  putConsent: putConsent(ports.consent),
  listNotifications: listNotifications(ports.notifications),
  readNotificationLog: readNotificationLog(ports.notifications),
  runPreferencesJourney: runPreferencesJourney(ports.identity, ports.notifications, ports.clock, locatorClaim),
});
