import type { Claims } from './claims/claims.port.ts';
import type { Consent } from './consent/consent.port.ts';
import type { Documents } from './documents/documents.port.ts';
import type { Eligibility } from './eligibility/eligibility.port.ts';
import type { Identity } from './identity/identity.port.ts';
import type { ProofVerifier } from './identity/dpop/proof-verifier.port.ts';
import type { Notifications } from './notifications/notifications.port.ts';
import type { Policy } from './policy/policy.port.ts';
import type { Clock } from './runtime/clock.port.ts';
import type { Ids } from './runtime/ids.port.ts';
import type { CallbackExchange } from './search/callbacks/callback-exchange.port.ts';
import type { CallbackVerifier } from './search/callbacks/callback-verifier.port.ts';
import type { SearchTransport } from './search/transport/search-transport.port.ts';
import type { OwnService } from './services/own-service.ts';

/** The ports of the member API. */
export interface Ports {
  readonly identity: Identity;
  readonly eligibility: Eligibility;
  readonly claims: Claims;
  readonly documents: Documents;
  readonly policy: Policy;
  readonly notifications: Notifications;
  readonly consent: Consent;
  readonly clock: Clock;
}

/** The services behind the member API. */
export type ServiceName = Exclude<keyof Ports, 'identity' | 'clock'>;

/** The ports of the member API with any of its services. */
export type SomePorts = Pick<Ports, 'identity' | 'clock'> & {
  readonly [Name in ServiceName]?: Ports[Name] | undefined;
} & {
  /** Required to accept DPoP-bound tokens (`dpop` of `AccessRules`). */
  readonly proofs?: ProofVerifier | undefined;
  /** Services of your own, created with `ownService`. */
  readonly services?: readonly OwnService[] | undefined;
};

/** The ports of the search API. */
export interface SearchPorts {
  readonly transport: SearchTransport;
  readonly exchange: CallbackExchange;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Required when a leg has `verifyCallbacks`. */
  readonly verifier?: CallbackVerifier | undefined;
}
