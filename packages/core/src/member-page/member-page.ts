import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { RateLimiter } from '../runtime/rate-limiter/rate-limiter.port.ts';
import type { ServiceResponse } from '../services/own-service.port.ts';
import { type Failure, invalid, listedNames, type Service, upstream } from '../shared/failure.ts';
import { bytesOf, utf8Length } from '../shared/json/json.ts';
import { parseQuery } from '../shared/list-query.ts';
import type { Member } from '../shared/member.ts';

/** A member route that is a part of `GET /me` (contract, section 12). `name` is the last segment of its path. */
export interface PartRead {
  readonly name: string;
  /** The service that is read, for the failure of a part beyond `maxPageBytes`. */
  readonly service: Service;
  readonly read: (member: Member) => ResultAsync<ServiceResponse, Failure>;
}

/** How many bytes of UTF-8 the bodies of one page have together at most: as many as one response of a service by default. */
export const maxPageBytes = 10_485_760;

/** A failure of a part: that of its own route, or a request beyond the member's rate limit. */
export type PartFailure = Failure | { readonly kind: 'rate-limited'; readonly retryAfterSeconds: number };

export interface SettledPart {
  readonly name: string;
  readonly result: Result<ServiceResponse, PartFailure>;
}

/**
 * Reads several parts of the member API at once (contract, section 12). `query` is the query of the URL: `include` has the
 * names, separated by commas. Default: every part. Fails `invalid` for an unknown, empty or repeated name, and for any
 * other parameter. The promises are in the order of the names, and never reject. A part whose body would bring the page
 * above `maxPageBytes` fails `upstream`, reason `too-large`; those that were read before and smaller ones stay.
 */
export type ReadMemberPage = (member: Member, query: string) => Result<readonly Promise<SettledPart>[], Failure>;

/**
 * Creates the use case of these reads. With a limiter, each part counts as a request of the member, except the first one:
 * the request for the page is counted in its place. Throws TypeError if two reads have the same name.
 */
export const readMemberPage = (reads: readonly PartRead[], limiter?: RateLimiter): ReadMemberPage => {
  const byName = new Map(reads.map((part) => [part.name, part]));
  if (byName.size < reads.length) throw new TypeError('Two parts of GET /me have the same name.');
  return (member, query) =>
    includedParts(query, byName).map((parts) => {
      const fits = pageBudget();
      return parts.map((part, at) => settle(part, member, fits, at === 0 ? undefined : limiter));
    });
};

/** Counts the bodies of one page, and returns for each whether it fits. One that does not is not counted. */
const pageBudget = () => {
  let bytes = 0;
  return (body: ServiceResponse): boolean => {
    const next = bytes + (bytesOf(body)?.length ?? utf8Length(body.text));
    if (next > maxPageBytes) return false;
    bytes = next;
    return true;
  };
};

const settle = async (
  { name, service, read }: PartRead,
  member: Member,
  fits: (body: ServiceResponse) => boolean,
  limiter?: RateLimiter,
): Promise<SettledPart> => {
  try {
    const allowance = await limiter?.take(member.locator);
    if (allowance?.isAllowed === false)
      return { name, result: err({ kind: 'rate-limited', retryAfterSeconds: allowance.retryAfterSeconds }) };
    const result = await read(member);
    return { name, result: result.isErr() || fits(result.value) ? result : err(upstream(service, 'too-large')) };
  } catch (cause) {
    // A bug in one part is a failure of that part, as it would be in its own route.
    return { name, result: err({ kind: 'unexpected', cause }) };
  }
};

const includedParts = (query: string, byName: ReadonlyMap<string, PartRead>): Result<readonly PartRead[], Failure> =>
  parseQuery(query, ['include']).andThen((parameters) => {
    if (parameters.length === 0) return ok([...byName.values()]);
    const names = parameters.flatMap(([, value]) => value.split(','));
    const parts = names.flatMap((name) => byName.get(name) ?? []);
    const isRepeated = new Set(names).size < names.length;
    return parts.length < names.length || isRepeated ? refuse(names, byName) : ok(parts);
  });

const refuse = (names: readonly string[], byName: ReadonlyMap<string, PartRead>): Result<never, Failure> => {
  const unknown = names.filter((name) => !byName.has(name));
  const [problem, refused] =
    unknown.length > 0
      ? ['Unknown part', unknown]
      : ['Repeated part', names.filter((name, at) => names.indexOf(name) < at)];
  const some = listedNames(refused).map((name) => name || '(empty)');
  const message = `must be different names of ${[...byName.keys()].join(', ')}, separated by commas`;
  return err(invalid(`${problem}: ${some.join(', ')}.`, { path: '/include', message }));
};
