import type { Branded } from './locator.ts';

/** The member's identifier at every downstream. Only a verified token yields one. */
export type PartyLocator = Branded<'party'>;

const partyLocator = /^[A-Za-z0-9][A-Za-z0-9._:|@-]{0,127}$/;

/** The locator rule of the contract, section 1. */
export const isPartyLocator = (value: unknown): value is PartyLocator =>
  typeof value === 'string' && partyLocator.test(value) && !value.includes('..');

/**
 * A member whose token was verified. The class is not exported by the package, only its type, and its private fields
 * make it nominal: nobody outside can make one up. They also keep locator and token out of logs and serialised objects.
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

  /** The member's own bearer token, which goes downstream. */
  get token(): string {
    return this.#token;
  }
}
