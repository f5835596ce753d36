import type { Result, ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Member } from '../shared/member.ts';

/** Header fields of a request, by lower-case name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Portico's credentials for one downstream service. Requested before each call (contract, section 9). */
export interface Credentials {
  /** Whether they identify the member. If not, every path of the service must contain the party locator. */
  readonly identifiesMember: boolean;
  /**
   * Returns the header fields that authorize one call for this member: no promise if they are already known. Fails
   * `unauthenticated` when the member's token is refused, else `upstream` or `overloaded`.
   */
  for(member: Member): Result<HeaderFields, Failure> | ResultAsync<HeaderFields, Failure>;
}
