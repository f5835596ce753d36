export type { ClaimDraft, ClaimLocator, Claims, Submission } from './claims/claims.port.ts';
export type { GetClaim, ListClaims, SubmitClaim, SubmittedClaim } from './claims/claims.ts';
export { getClaim, listClaims, submitClaim } from './claims/claims.ts';
export type { Consent } from './consent/consent.port.ts';
export { type GetConsent, getConsent, type PutConsent, putConsent } from './consent/consent.ts';
export {
  documentConditionFields,
  documentConditionNames,
  documentHeaderFields,
  documentOutcome,
  documentStatus,
  hasDocumentContent,
  readDocumentConditions,
  readDocumentHeaders,
  relayedContentType,
} from './documents/document-headers.ts';
export type {
  DocumentResponse,
  DocumentConditions,
  DocumentHeaders,
  DocumentLocator,
  Documents,
  ReleasableContent,
} from './documents/documents.port.ts';
export { interruptedCode, releaseChunk } from './documents/documents.port.ts';
export { type GetDocument, getDocument, type ListDocuments, listDocuments } from './documents/documents.ts';
export type { Eligibility } from './eligibility/eligibility.port.ts';
export { type GetAccumulators, getAccumulators, type GetCoverage, getCoverage } from './eligibility/eligibility.ts';
export { clientKeyAlgorithm, clientKeyRule, type ClientSettings } from './identity/client-settings.ts';
export type { Credentials, HeaderFields } from './identity/credentials.port.ts';
export {
  type Access,
  accessDefaults,
  accessRefusal,
  type AccessRules,
  type IssuerRules,
} from './identity/access-rules.ts';
export {
  memoryReplayGuard,
  type MemoryReplayGuardSettings,
  replayGuardDefaults,
} from './identity/dpop/memory-replay-guard.ts';
export type { BoundProof, DpopProof, ProofVerifier } from './identity/dpop/proof-verifier.port.ts';
export { proofAlgorithms } from './identity/dpop/proof-verifier.port.ts';
export {
  maxReplaySeconds,
  proofAgeSeconds,
  type ReplayCheck,
  type ReplayGuard,
  replayMarginSeconds,
} from './identity/dpop/replay-guard.port.ts';
export type { AccessToken, Identity, TokenClaims, TokenRequest } from './identity/identity.port.ts';
export { signatureAlgorithms } from './identity/identity.port.ts';
export type { Authenticate, RequestToken } from './identity/identity.ts';
export { isCompactJws, maxAccessTokenBytes } from './identity/access-token.ts';
export { authenticate, locatorClaimOf, namesMember, requestToken } from './identity/identity.ts';
export { type JourneyStep, journeySteps } from './notifications/journey-steps.ts';
export type { Notifications } from './notifications/notifications.port.ts';
export {
  type ChangePreferences,
  changePreferences,
  type GetPreferences,
  getPreferences,
  type ListNotifications,
  listNotifications,
  type PutPreferences,
  putPreferences,
  type ReadNotificationLog,
  readAndWritePreferences,
  readNotificationLog,
} from './notifications/notifications.ts';
export type { Preferences } from './notifications/preferences.ts';
export { preferenceNames, readPreferences, startingPreferences } from './notifications/preferences.ts';
export type {
  JourneyAccess,
  JourneyFindings,
  JourneyOptions,
  JourneyReport,
  RunPreferencesJourney,
} from './notifications/preferences-journey.ts';
export { journeyDefaults, runPreferencesJourney } from './notifications/preferences-journey.ts';
export type { Policy, ProfilePatch } from './policy/policy.port.ts';
export { type GetProfile, getProfile, type PatchProfile, patchProfile } from './policy/policy.ts';
export type { Ports, SearchPorts, ServiceName, SomePorts } from './ports.ts';
export type { Cancel, Clock } from './runtime/clock.port.ts';
export type { Ids } from './runtime/ids.port.ts';
export type { Allowance, RateLimiter } from './runtime/rate-limiter/rate-limiter.port.ts';
export { settleWithin, type WaitLimits } from './runtime/settle-within.ts';
export type { Signal } from './runtime/signal.ts';
export { unlessAborted } from './runtime/unless-aborted.ts';
export { createFeed, type Feed } from './runtime/feed.ts';
export type { CallbackEvent, LegErrorJson, LegEvent, LegTrace, SellerErrorJson } from './search/response.ts';
export { legOutcomeText, searchResponseText, sellerCallbackText } from './search/response.ts';
export { type CallbackContext, maxCallbackDepth, pairingOf, readContext } from './search/callbacks/callback-context.ts';
export type {
  CallbackExchange,
  CallbackFate,
  CollectLimits,
  Expectation,
  OfferDetails,
  OfferOutcome,
} from './search/callbacks/callback-exchange.port.ts';
export type { CallbackVerifier, Signer } from './search/callbacks/callback-verifier.port.ts';
export type {
  CallbackCounts,
  ReceiveCallback,
  ReceivedCallback,
  ReceivedOutcome,
} from './search/callbacks/receive-callback.ts';
export { readOffers, readSellerError, readSellerErrors, type SellerError } from './search/catalog.ts';
export { describeLocation } from './search/catalog/location.ts';
export type { Availability, Offer, OfferLocation, Price, Rating } from './search/catalog/offer.ts';
export {
  filterOffers,
  type OfferFilter,
  type OfferOrder,
  offerOrders,
  sortOffers,
} from './search/catalog/offer-list.ts';
export { describePrice } from './search/catalog/price.ts';
export type { RunningSearch, SearchResponse } from './search/correlator.ts';
export type { LegOutcome, SearchEvent, SellerCallback } from './search/leg-outcome.ts';
export type { Envelope } from './search/envelope.ts';
export type { PartFailure, PartRead, ReadMemberPage, SettledPart } from './member-page/member-page.ts';
export { maxPageBytes, readMemberPage } from './member-page/member-page.ts';
export { memberPageText, pageDoneText, partEventText, type PartText } from './member-page/member-page-text.ts';
export { personaNames, type Personas, type PersonaSettings } from './search/personas.ts';
export type {
  CallbackAction,
  EnvelopeBuilder,
  EnvelopeInput,
  FieldNames,
  FinderFee,
  NetworkProfile,
  ProfileEnvelope,
  ProfileName,
} from './search/profiles/network-profile.ts';
export { transactionIdOf } from './search/profiles/context-fields.ts';
export { defaultCountry } from './search/profiles/beckn-0-9.ts';
export { networkProfiles, profileOf } from './search/profiles/profiles.ts';
export { type CallbackMode, collectDefaults, type Leg, type LegFailure, type ListedLeg } from './search/leg.ts';
export type { MemoryCallbackExchangeSettings } from './search/callbacks/memory-callback-exchange.ts';
export { callbackExchangeDefaults, memoryCallbackExchange } from './search/callbacks/memory-callback-exchange.ts';
export type { ListLegs, Search, SearchRequest, SearchSettings } from './search/search.ts';
export { searchDefaults, searchLengths } from './search/search.ts';
export type { SentSearch, SentSearches } from './search/callbacks/sent-searches.port.ts';
export {
  maxSearchMs,
  memorySentSearches,
  type MemorySentSearchesSettings,
  sentSearchesDefaults,
} from './search/callbacks/sent-searches.ts';
export type { SearchSigner } from './search/transport/search-signer.port.ts';
export type { Acknowledgement, SearchTransport } from './search/transport/search-transport.port.ts';
export { createSearchUseCases, type SearchStatus, type SearchUseCases } from './search/search-use-cases.ts';
export {
  maxSignInMs,
  type NewSession,
  type SessionContent,
  type SessionStore,
  type StoredSession,
} from './sessions/session-store.port.ts';
export {
  backChannelLogoutPath,
  csrfHeader,
  sessionErrorParameter,
  sessionLoginPath,
  sessionLogoutPath,
  sessionMemberHeader,
  sessionPath,
  type SignInError,
  signInErrors,
} from './sessions/session-protocol.ts';
export type {
  DeclarationSettings,
  DeclaredOperation,
  OperationDeclaration,
  OperationDeclarations,
  ServiceDeclaration,
} from './services/declaration.ts';
export { hasBody, isJsonOperation, isPart } from './services/declaration.ts';
export { declareService } from './services/declare-service.ts';
export {
  checkCollisions,
  DeclarationError,
  declarationProblems,
  type TakenRoute,
  type UncheckedOperation,
} from './services/declaration-problems.ts';
export {
  type AnyServiceRequest,
  isKeptStatus,
  type KeptStatus,
  keptStatuses,
  type ServiceInput,
  type ServicePort,
  type ServiceRequest,
  type ServiceResponse,
  type ServiceResult,
} from './services/own-service.port.ts';
export { type AnyOwnUseCase, ownService, type OwnService, type OwnUseCases } from './services/own-service.ts';
export {
  builtInRoutes,
  isRouteKey,
  type ParsedRoute,
  parseRoute,
  partName,
  type RouteKey,
  type RouteMethod,
} from './services/route.ts';
export {
  type Failure,
  type InputError,
  insufficientScope,
  invalid,
  invalidProof,
  isKnownService,
  isServiceName,
  type KnownService,
  notFound,
  overloaded,
  preconditionFailed,
  refusedToken,
  type Service,
  services,
  type TokenRefusal,
  tokenRefusals,
  unauthenticated,
  type UnauthenticatedReason,
  upstream,
  type UpstreamReason,
  upstreamReasons,
  upstreamStatus,
} from './shared/failure.ts';
export { ifMatchPattern, parseIfMatch, strongEtag, strongEtagPattern } from './shared/entity-tag.ts';
export {
  type AnyProblem,
  type Problem,
  type ProblemCode,
  problemOf,
  problemText,
  problemTypes,
  problemUri,
} from './shared/problem.ts';
export { bytesOf, isObject, type Json, type JsonObject, noContent, toJson, withBytes } from './shared/json/json.ts';
export {
  memoryRateLimiter,
  type MemoryRateLimiterSettings,
  rateLimiterDefaults,
} from './runtime/rate-limiter/memory-rate-limiter.ts';
export { nestsDeeperThan } from './shared/json/json-scan.ts';
export { membersIn } from './shared/json/json-members.ts';
export { idempotencyKeyPattern, parseIdempotencyKey } from './shared/idempotency-key.ts';
export {
  type ListQuery,
  type ListQueryInput,
  parseListQuery,
  type QueryByName,
  type QueryInput,
  queryPairs,
} from './shared/list-query.ts';
export { maxBodyDepth, parseObjectBody } from './shared/request-body.ts';
export { isLocator, locatorPattern, parseLocator } from './shared/locator.ts';
export type { Member, PartyLocator } from './shared/member.ts';
export type { CoreSettings, ServiceUseCases, SomeUseCases, UseCases, UseCasesOf } from './use-cases.ts';
export { createUseCases, hasService, serviceNames } from './use-cases.ts';
