import type { Branded } from './locator.ts';

/** The member's identifier in every downstream service. Created only from a verified token. */
export type PartyLocator = Branded<'party'>;

const partyLocator = /^[A-Za-z0-9][A-Za-z0-9._:|@-]{0,127}$/;

/** Whether a value is a valid party locator (contract, section 1). */
export const isPartyLocator = (value: unknown): value is PartyLocator =>
  typeof value === 'string' && partyLocator.test(value) && !value.includes('..');

/**
 * A member whose token was verified. The package exports only the type, and the private fields make it nominal, so
 * other packages cannot create one. The private fields also keep locator and token out of logs and serialized objects.
 */
export class Member {
  readonly #locator: PartyLocator;
  readonly #token: string;

  constructor(locator: PartyLocator, token: string) {
    this.#locator = locator;
    this.#token = token;
  }

  get locator(): PartyLocator {
    return this.#locator;
  }

  /** The member's bearer token, which is sent to downstream services. */
  get token(): string {
    return this.#token;
  }
}
