import {
  type Clock,
  type Credentials,
  type Failure,
  type HeaderFields,
  type Member,
  settleWithin,
  type Signal,
  upstream,
} from '@portico/core';
import { errAsync, err, type Result, ResultAsync } from 'neverthrow';

/**
 * Checks one operation of a service. If the credentials do not identify the member, its path must: otherwise the service
 * would return data of an unknown member. Throws a TypeError.
 */
export const requireMember = ({ identifiesMember }: Credentials, operation: string, path: string): void => {
  if (!identifiesMember && !path.includes('{partyLocator}'))
    throw new TypeError(`The path ${operation} must contain {partyLocator}: the credentials identify no member.`);
};

/** The deadline of a call, in milliseconds, and the signal of its caller. */
interface CallLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: Signal | undefined;
}

/**
 * Runs a call with the credentials of a member. The wait for them is part of the deadline of the call: `waitedMs`.
 * When the caller cancels, only its own wait ends; the request for the credentials, which other calls may share, continues.
 */
export const authorizedCall = <T>(
  credentials: Credentials,
  member: Member,
  limits: CallLimits,
  call: (fields: HeaderFields, waitedMs: number) => ResultAsync<T, Failure>,
): ResultAsync<T, Failure> => {
  const fields = credentials.for(member);
  if (!('then' in fields)) return fields.isOk() ? call(fields.value, 0) : errAsync(fields.error);
  const startedAt = limits.clock.monotonic();
  const known = settleWithin<Result<HeaderFields, Failure>>(fields, {
    ...limits,
    onTimeout: () => err(upstream('identity', 'timeout')),
    onAbort: () => err(upstream('identity', 'unreachable')),
  });
  return new ResultAsync(known).andThen((fields) => call(fields, limits.clock.monotonic() - startedAt));
};
