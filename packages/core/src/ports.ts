import type { Claims } from './claims/claims.port.ts';
import type { Consent } from './consent/consent.port.ts';
import type { Documents } from './documents/documents.port.ts';
import type { Eligibility } from './eligibility/eligibility.port.ts';
import type { Identity } from './identity/identity.port.ts';
import type { Notifications } from './notifications/notifications.port.ts';
import type { Policy } from './policy/policy.port.ts';

/** The whole boundary: every question the core asks the outside world. */
export interface Ports {
  readonly identity: Identity;
  readonly eligibility: Eligibility;
  readonly claims: Claims;
  readonly documents: Documents;
  readonly policy: Policy;
  readonly notifications: Notifications;
  readonly consent: Consent;
}
