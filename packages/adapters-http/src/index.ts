export {
  becknSigner,
  isCurrent,
  parseSignatureHeader,
  publicKeyOf,
  type SignatureHeader,
  type SigningSettings,
  verifySignature,
} from './beckn-signature.ts';
export { becknVerifier } from './callback-signature.ts';
export { httpClaims } from './claims.ts';
export { httpConsent } from './consent.ts';
export { httpDocuments } from './documents.ts';
export type { DownstreamSettings } from './downstream.ts';
export { httpEligibility } from './eligibility.ts';
export type { HttpSettings } from './http-client.ts';
export { httpIdentity, type IdentitySettings, signatureAlgorithms } from './identity.ts';
export { httpNotifications } from './notifications.ts';
export { httpPolicy } from './policy.ts';
export { type DownstreamName, downstreamPaths, pathTemplateProblem } from './paths.ts';
export { becknRegistry, type Registry } from './registry.ts';
export { randomIds, systemClock } from './runtime.ts';
export type { CircuitState } from './circuit-breaker.ts';
export type { CallOutcome, GuardSettings, ServiceObserver } from './service-guard.ts';
export { httpSearchTransport, type SearchTransportSettings } from './search.ts';
