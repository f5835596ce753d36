export { type ClaimsSubject, claimsContract } from './claims/claims.contract.ts';
export { type FakeClaims, fakeClaims } from './claims/claims.fake.ts';
export { type ConsentSubject, consentContract } from './consent/consent.contract.ts';
export { type FakeConsent, fakeConsent } from './consent/consent.fake.ts';
export {
  BrokenPromise,
  type Checks,
  type ContractSuite,
  contractSuite,
  type SubjectExtras,
  type TestRunner,
  testRunnerDefaults,
} from './contract/contract-suite.ts';
export type { FailingSource, SourceFault } from './contract/failing-source.ts';
export { type DocumentsSubject, documentsContract } from './documents/documents.contract.ts';
export { type FakeDocument, type FakeDocuments, fakeDocuments, somePdf } from './documents/documents.fake.ts';
export { type EligibilitySubject, eligibilityContract } from './eligibility/eligibility.contract.ts';
export { type FakeEligibility, fakeEligibility } from './eligibility/eligibility.fake.ts';
export { type CredentialsSubject, credentialsContract } from './identity/credentials.contract.ts';
export { type FakeCredentials, fakeCredentials } from './identity/credentials.fake.ts';
export { type IdentitySubject, identityContract } from './identity/identity.contract.ts';
export { type PasswordGrantSubject, passwordGrantContract } from './identity/password-grant.contract.ts';
export { type FakeIdentity, type FakeUser, fakeIdentity } from './identity/identity.fake.ts';
export { type FakeProofVerifier, fakeProofVerifier } from './identity/dpop/proof-verifier.fake.ts';
export { type ProofVerifierSubject, proofVerifierContract } from './identity/dpop/proof-verifier.contract.ts';
export { type FakeReplayGuard, fakeReplayGuard } from './identity/dpop/replay-guard.fake.ts';
export { type ReplayGuardSubject, replayGuardContract } from './identity/dpop/replay-guard.contract.ts';
export { type NotificationsSubject, notificationsContract } from './notifications/notifications.contract.ts';
export {
  type FakeNotifications,
  type FakeNotificationsOfMember,
  fakeNotifications,
  somePreferences,
} from './notifications/notifications.fake.ts';
export { type PolicySubject, policyContract } from './policy/policy.contract.ts';
export { type FakePolicy, fakePolicy } from './policy/policy.fake.ts';
export { type FakePorts, fakePorts, type PortOverrides } from './ports.fake.ts';
export { type FakeClock, fakeClock } from './runtime/clock.fake.ts';
export { fakeIds } from './runtime/ids.fake.ts';
export { type RateLimiterSubject, rateLimiterContract } from './runtime/rate-limiter/rate-limiter.contract.ts';
export {
  type FakeRateLimiter,
  type FakeRateLimiterSettings,
  fakeRateLimiter,
  fakeRateLimiterDefaults,
} from './runtime/rate-limiter/rate-limiter.fake.ts';
export { type FakeCallbackExchange, fakeCallbackExchange } from './search/callbacks/callback-exchange.fake.ts';
export {
  type CallbackExchangeSubject,
  callbackExchangeContract,
} from './search/callbacks/callback-exchange.contract.ts';
export { type FakeCallbackVerifier, fakeCallbackVerifier } from './search/callbacks/callback-verifier.fake.ts';
export { aLeg, anOnSearch } from './search/leg.fake.ts';
export { fakeSearchSigner, type FakeSearchSigner } from './search/transport/search-signer.fake.ts';
export { type SearchTransportSubject, searchTransportContract } from './search/transport/search-transport.contract.ts';
export {
  acknowledged,
  type FakePost,
  type FakeSearchTransport,
  fakeSearchTransport,
} from './search/transport/search-transport.fake.ts';
export { type FakeService, fakeService, type FakeServiceCall } from './services/own-service.fake.ts';
export { serviceContract, type ServiceSubject } from './services/own-service.contract.ts';
export { sessionStoreContract, type SessionStoreSubject } from './sessions/session-store.contract.ts';
export { type FakeSession, fakeSessionStore, type FakeSessionStore } from './sessions/session-store.fake.ts';
export type { ByMember, Fails } from './shared/fake.ts';
export { aMember } from './shared/member.fake.ts';
