import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { getClaim, listClaims, submitClaim } from './claims/claims.ts';
import { getConsent, putConsent } from './consent/consent.ts';
import { getDocument, listDocuments } from './documents/documents.ts';
import { getAccumulators, getCoverage } from './eligibility/eligibility.ts';
import { authenticate, requestToken } from './identity/identity.ts';
import {
  changePreferences,
  getPreferences,
  listNotifications,
  putPreferences,
  readNotificationLog,
} from './notifications/notifications.ts';
import { runPreferencesJourney } from './notifications/preferences-journey.ts';
import { getProfile, patchProfile } from './policy/policy.ts';
import type { Ports, SearchPorts } from './ports.ts';
import type { SearchSettings } from './search/search.ts';
import { createSearchUseCases, type SearchUseCases } from './search/search-use-cases.ts';
import type { CoreSettings, UseCases } from './use-cases.ts';

// `as`, not an annotation: annotated, TypeScript narrows the constant to `symbol` and `bind` stops checking the type.
const token = <T>(name: string) => Symbol(`portico:${name}`) as ServiceIdentifier<T>;

const clockToken = token<Ports['clock']>('clock');

/** One typed token per port. Both APIs share the clock. Rebind tokens before the first `get`. */
export const portTokens = {
  identity: token<Ports['identity']>('identity'),
  eligibility: token<Ports['eligibility']>('eligibility'),
  claims: token<Ports['claims']>('claims'),
  documents: token<Ports['documents']>('documents'),
  policy: token<Ports['policy']>('policy'),
  notifications: token<Ports['notifications']>('notifications'),
  consent: token<Ports['consent']>('consent'),
  clock: clockToken,
} satisfies { readonly [Name in keyof Ports]: ServiceIdentifier<Ports[Name]> };

export const searchPortTokens = {
  transport: token<SearchPorts['transport']>('searchTransport'),
  exchange: token<SearchPorts['exchange']>('callbackExchange'),
  clock: clockToken,
  ids: token<SearchPorts['ids']>('ids'),
  verifier: token<NonNullable<SearchPorts['verifier']>>('callbackVerifier'),
} satisfies { readonly [Name in keyof Required<SearchPorts>]: ServiceIdentifier<NonNullable<SearchPorts[Name]>> };

/** One typed token per use case. */
export const useCaseTokens = {
  authenticate: token<UseCases['authenticate']>('authenticate'),
  requestToken: token<UseCases['requestToken']>('requestToken'),
  getCoverage: token<UseCases['getCoverage']>('getCoverage'),
  getAccumulators: token<UseCases['getAccumulators']>('getAccumulators'),
  listClaims: token<UseCases['listClaims']>('listClaims'),
  getClaim: token<UseCases['getClaim']>('getClaim'),
  submitClaim: token<UseCases['submitClaim']>('submitClaim'),
  listDocuments: token<UseCases['listDocuments']>('listDocuments'),
  getDocument: token<UseCases['getDocument']>('getDocument'),
  getProfile: token<UseCases['getProfile']>('getProfile'),
  patchProfile: token<UseCases['patchProfile']>('patchProfile'),
  getPreferences: token<UseCases['getPreferences']>('getPreferences'),
  putPreferences: token<UseCases['putPreferences']>('putPreferences'),
  changePreferences: token<UseCases['changePreferences']>('changePreferences'),
  getConsent: token<UseCases['getConsent']>('getConsent'),
  putConsent: token<UseCases['putConsent']>('putConsent'),
  listNotifications: token<UseCases['listNotifications']>('listNotifications'),
  readNotificationLog: token<UseCases['readNotificationLog']>('readNotificationLog'),
  runPreferencesJourney: token<UseCases['runPreferencesJourney']>('runPreferencesJourney'),
} satisfies { readonly [Name in keyof UseCases]: ServiceIdentifier<UseCases[Name]> };

/** All use cases as one object, resolved from their own bindings. */
export const useCasesToken = token<UseCases>('useCases');

/** Binds every use case of the member API. Bind the ports with adapter modules or with your own bindings. */
export const coreModule = ({ locatorClaim }: CoreSettings = {}): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const { identity, eligibility, claims, documents, policy, notifications, consent, clock } = portTokens;
    const tokens = useCaseTokens;
    bind(tokens.authenticate)
      .toResolvedValue((port) => authenticate(port, locatorClaim), [identity])
      .inSingletonScope();
    bind(tokens.requestToken).toResolvedValue(requestToken, [identity]).inSingletonScope();
    bind(tokens.getCoverage).toResolvedValue(getCoverage, [eligibility]).inSingletonScope();
    bind(tokens.getAccumulators).toResolvedValue(getAccumulators, [eligibility]).inSingletonScope();
    bind(tokens.listClaims).toResolvedValue(listClaims, [claims]).inSingletonScope();
    bind(tokens.getClaim).toResolvedValue(getClaim, [claims]).inSingletonScope();
    bind(tokens.submitClaim).toResolvedValue(submitClaim, [claims]).inSingletonScope();
    bind(tokens.listDocuments).toResolvedValue(listDocuments, [documents]).inSingletonScope();
    bind(tokens.getDocument).toResolvedValue(getDocument, [documents]).inSingletonScope();
    bind(tokens.getProfile).toResolvedValue(getProfile, [policy]).inSingletonScope();
    bind(tokens.patchProfile).toResolvedValue(patchProfile, [policy]).inSingletonScope();
    bind(tokens.getPreferences).toResolvedValue(getPreferences, [notifications]).inSingletonScope();
    bind(tokens.putPreferences).toResolvedValue(putPreferences, [notifications]).inSingletonScope();
    bind(tokens.changePreferences).toResolvedValue(changePreferences, [notifications]).inSingletonScope();
    bind(tokens.getConsent).toResolvedValue(getConsent, [consent]).inSingletonScope();
    bind(tokens.putConsent).toResolvedValue(putConsent, [consent]).inSingletonScope();
    bind(tokens.listNotifications).toResolvedValue(listNotifications, [notifications]).inSingletonScope();
    bind(tokens.readNotificationLog).toResolvedValue(readNotificationLog, [notifications]).inSingletonScope();
    bind(tokens.runPreferencesJourney)
      .toResolvedValue(
        (identity, notifications, clock) => runPreferencesJourney(identity, notifications, clock, locatorClaim),
        [identity, notifications, clock],
      )
      .inSingletonScope();
    bind(useCasesToken)
      .toDynamicValue(
        ({ get }) =>
          Object.fromEntries(
            Object.entries(tokens).map(([name, id]) => [name, get(id as ServiceIdentifier)]),
          ) as unknown as UseCases,
      )
      .inSingletonScope();
  });

/** The use cases of the search API, which share their counters. */
export const searchUseCasesToken = token<SearchUseCases>('searchUseCases');

/** Binds the search API. Bind its ports with adapter modules or with your own bindings; the verifier is optional. */
export const searchModule = (settings: SearchSettings): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const { transport, exchange, clock, ids, verifier } = searchPortTokens;
    bind(searchUseCasesToken)
      .toResolvedValue(
        (
          transport: SearchPorts['transport'],
          exchange: SearchPorts['exchange'],
          clock: SearchPorts['clock'],
          ids: SearchPorts['ids'],
          verifier: SearchPorts['verifier'],
        ) => createSearchUseCases({ transport, exchange, clock, ids, verifier }, settings),
        [transport, exchange, clock, ids, { serviceIdentifier: verifier, optional: true }],
      )
      .inSingletonScope();
  });
