export {
  becknSigner,
  ed25519Signer,
  isCurrent,
  parseSignatureHeader,
  publicKeyOf,
  type SignatureHeader,
  signerIdRule,
  signingKeyRule,
  type SigningSettings,
  verifySignature,
} from './beckn/signature.ts';
export { checkTls, type ConnectionSettings, type TlsSettings } from './connection/connection.ts';
export { environmentProxy, fixedProxy, type ProxySelector } from './connection/proxy.ts';
export { transportOf, type TransportSettings } from './http/transport-of.ts';
export type { Transport } from './http/transport.ts';
export { becknVerifier, type BecknVerifierSettings } from './beckn/callback-verifier.ts';
export { clientAuthenticationMethods, privateKeyProblem } from './credentials/client-authentication.ts';
export { clientCredentials, type ClientCredentialsSettings } from './credentials/client-credentials.ts';
export { credentialsByIssuer } from './credentials/credentials-by-issuer.ts';
export { memberToken, noCredentials } from './credentials/member-token.ts';
export { headerProblems } from './credentials/static-headers.ts';
export {
  tokenClient,
  type TokenClient,
  tokenClientDefaults,
  type TokenClientSettings,
  type TokenForm,
} from './credentials/token-client.ts';
export { tokenExchange, type TokenExchangeSettings } from './credentials/token-exchange.ts';
export { httpClaims } from './downstreams/claims.ts';
export { httpConsent } from './downstreams/consent.ts';
export { httpDocuments } from './downstreams/documents.ts';
export type { DownstreamSettings, ServiceSettings } from './downstreams/downstream.ts';
export { httpService } from './downstreams/own-service.ts';
export { httpEligibility } from './downstreams/eligibility.ts';
export { httpDefaults, type HttpSettings } from './http/client.ts';
export { discoveryPath, discoveryUrl, isEndpointOf } from './identity/discovery.ts';
export { dpopProofDefaults, dpopProofs, type DpopProofSettings } from './identity/dpop-proofs.ts';
export { claimedIssuer, httpIdentities } from './identity/identity-providers.ts';
export { httpIdentity, identityDefaults, type IdentitySettings } from './identity/identity.ts';
export type { KeySetObserver } from './identity/key-set.ts';
export { type KeySummary, summarizeKeys } from './identity/key-summary.ts';
export { diagnoseToken, type TokenFinding, type TokenRules } from './identity/token-diagnosis.ts';
export { httpNotifications } from './downstreams/notifications.ts';
export { httpPolicy } from './downstreams/policy.ts';
export { type DownstreamName, downstreamPaths, pathTemplateProblem } from './downstreams/paths.ts';
export { becknRegistry, type Registry } from './beckn/registry.ts';
export { registryDefaults, type RegistryProfileName, type RegistrySettings } from './beckn/registry-lookup.ts';
export type { CircuitState } from './resilience/circuit-breaker.ts';
export {
  type CallOutcome,
  guardDefaults,
  type GuardSettings,
  type ServiceObserver,
} from './resilience/service-guard.ts';
export type { SignerSettings } from './beckn/leg-signer.ts';
export {
  httpSearchTransport,
  searchTransportDefaults,
  type SearchTransportSettings,
} from './beckn/search-transport.ts';
