export {
  becknSigner,
  isCurrent,
  parseSignatureHeader,
  publicKeyOf,
  type SignatureHeader,
  type SigningSettings,
  verifySignature,
} from './beckn/signature.ts';
export { becknVerifier } from './beckn/callback-verifier.ts';
export { httpClaims } from './downstreams/claims.ts';
export { httpConsent } from './downstreams/consent.ts';
export { httpDocuments } from './downstreams/documents.ts';
export type { DownstreamSettings, ServiceSettings } from './downstreams/downstream.ts';
export { httpService } from './downstreams/own-service.ts';
export { httpEligibility } from './downstreams/eligibility.ts';
export { httpDefaults, type HttpSettings } from './http/client.ts';
export { httpIdentity, identityDefaults, type IdentitySettings, signatureAlgorithms } from './identity/identity.ts';
export type { KeySetObserver } from './identity/key-set.ts';
export { type KeySummary, summarizeKeys } from './identity/key-summary.ts';
export { diagnoseToken, type TokenFinding, type TokenRules } from './identity/token-diagnosis.ts';
export { httpNotifications } from './downstreams/notifications.ts';
export { httpPolicy } from './downstreams/policy.ts';
export { type DownstreamName, downstreamPaths, pathTemplateProblem } from './downstreams/paths.ts';
export { becknRegistry, type Registry } from './beckn/registry.ts';
export type { CircuitState } from './resilience/circuit-breaker.ts';
export {
  type CallOutcome,
  guardDefaults,
  type GuardSettings,
  type ServiceObserver,
} from './resilience/service-guard.ts';
export {
  httpSearchTransport,
  searchTransportDefaults,
  type SearchTransportSettings,
} from './beckn/search-transport.ts';
