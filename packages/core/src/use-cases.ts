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
import type { IssuerRules } from './identity/access-rules.ts';
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
import type { Ports, ServiceName, SomePorts } from './ports.ts';
import { checkCollisions } from './services/declaration-problems.ts';
import type { OwnService } from './services/own-service.ts';

/** The use cases that need no service. */
interface IdentityUseCases {
  readonly authenticate: Authenticate;
  readonly requestToken: RequestToken;
}

/** The use cases of each service behind the member API. */
export interface ServiceUseCases {
  readonly eligibility: { readonly getCoverage: GetCoverage; readonly getAccumulators: GetAccumulators };
  readonly claims: { readonly listClaims: ListClaims; readonly getClaim: GetClaim; readonly submitClaim: SubmitClaim };
  readonly documents: { readonly listDocuments: ListDocuments; readonly getDocument: GetDocument };
  readonly policy: { readonly getProfile: GetProfile; readonly patchProfile: PatchProfile };
  readonly notifications: {
    readonly getPreferences: GetPreferences;
    readonly putPreferences: PutPreferences;
    readonly changePreferences: ChangePreferences;
    readonly listNotifications: ListNotifications;
    readonly readNotificationLog: ReadNotificationLog;
    readonly runPreferencesJourney: RunPreferencesJourney;
  };
  readonly consent: { readonly getConsent: GetConsent; readonly putConsent: PutConsent };
}

/** The use cases of the member API with all six services. */
export type UseCases = IdentityUseCases &
  ServiceUseCases['eligibility'] &
  ServiceUseCases['claims'] &
  ServiceUseCases['documents'] &
  ServiceUseCases['policy'] &
  ServiceUseCases['notifications'] &
  ServiceUseCases['consent'];

/** All use cases of a service, or none of them: a part of a service does not compile. */
type WholeOrAbsent<Name extends ServiceName> =
  | ServiceUseCases[Name]
  | { readonly [UseCase in keyof ServiceUseCases[Name]]?: undefined };

interface OwnServices {
  /** Services of your own (contract, section 8). */
  readonly services?: readonly OwnService[] | undefined;
}

type UseCasesWith<Given, Name extends ServiceName> =
  Given extends Pick<Ports, Name> ? ServiceUseCases[Name] : WholeOrAbsent<Name>;

/** The use cases that these ports make possible. */
export type UseCasesOf<Given extends SomePorts> = IdentityUseCases &
  OwnServices &
  UseCasesWith<Given, 'eligibility'> &
  UseCasesWith<Given, 'claims'> &
  UseCasesWith<Given, 'documents'> &
  UseCasesWith<Given, 'policy'> &
  UseCasesWith<Given, 'notifications'> &
  UseCasesWith<Given, 'consent'>;

/** The use cases of the member API with any of the six services (contract, section 8). */
export type SomeUseCases = UseCasesOf<SomePorts>;

/** Which tokens may act for a member: one set of rules, or one for each issuer. */
export type CoreSettings = IssuerRules;

/** How each use case of a service is made: from its port, and if it needs them, from the other ports and the settings. */
export const serviceUseCases: {
  readonly [Name in ServiceName]: {
    readonly [UseCase in keyof ServiceUseCases[Name]]: (
      port: Ports[Name],
      ports: Pick<Ports, 'identity' | 'clock'>,
      settings: CoreSettings,
    ) => ServiceUseCases[Name][UseCase];
  };
} = {
  eligibility: { getCoverage, getAccumulators },
  claims: { listClaims, getClaim, submitClaim },
  documents: { listDocuments, getDocument },
  policy: { getProfile, patchProfile },
  notifications: {
    getPreferences,
    putPreferences,
    changePreferences,
    listNotifications,
    readNotificationLog,
    runPreferencesJourney: (notifications, { identity, clock }, rules) =>
      runPreferencesJourney(identity, notifications, clock, rules),
  },
  consent: { getConsent, putConsent },
};

/** The six services behind the member API. Each may be absent. */
export const serviceNames = Object.keys(serviceUseCases) as readonly ServiceName[];

/** Whether these use cases include a service: all of its use cases. In an absent service, they may be `undefined`. */
export const hasService = <Name extends ServiceName>(use: object, name: Name): use is ServiceUseCases[Name] =>
  Object.keys(serviceUseCases[name]).every(
    (useCase) => (use as Readonly<Record<string, unknown>>)[useCase] !== undefined,
  );

/**
 * Creates the use cases of the member API. A service whose port is absent has no use cases. Throws a TypeError when two
 * services of your own have the same name or colliding routes.
 */
export const createUseCases = <Given extends SomePorts>(
  ports: Given,
  settings: CoreSettings = {},
): UseCasesOf<Given> => {
  checkCollisions((ports.services ?? []).map(({ declaration }) => declaration));
  const present = serviceNames.filter((name) => ports[name] !== undefined);
  const made = present.flatMap((name) =>
    Object.entries(serviceUseCases[name]).map(
      ([useCase, make]) => [useCase, make(ports[name] as never, ports, settings)] as const,
    ),
  );
  return {
    authenticate: authenticate(ports.identity, settings, ports.proofs),
    requestToken: requestToken(ports.identity),
    ...Object.fromEntries(made),
    ...(ports.services && { services: ports.services }),
  } as unknown as UseCasesOf<Given>;
};
