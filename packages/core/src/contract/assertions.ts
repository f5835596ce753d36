import type { Result, ResultAsync } from 'neverthrow';
import type { Failure } from '../shared/failure.ts';
import type { Json } from '../shared/json/json.ts';
import { contains, isSame } from './json-result.ts';

/** Returns the value of a call that must succeed. */
export const succeeds = async <T>(result: ResultAsync<T, Failure>): Promise<T> =>
  (await result).match(
    (value) => value,
    (failure) => fail(`should have succeeded, but failed: ${describeFailure(failure)}`),
  );

/** Omits the cause of an unexpected failure: it comes from foreign code and may contain secrets. */
const describeFailure = (failure: Failure): string =>
  failure.kind === 'unexpected' ? failure.kind : JSON.stringify(failure);

/** Checks that a call fails with this kind of failure, and returns the failure. */
export const failsAs = async <Kind extends Failure['kind']>(
  kind: Kind,
  result: ResultAsync<unknown, Failure>,
): Promise<Extract<Failure, { kind: Kind }>> => {
  const settled: Result<unknown, Failure> = await result;
  if (settled.isOk()) return fail(`should have failed as ${kind}, but succeeded`);
  if (settled.error.kind !== kind) fail(`should have failed as ${kind}, not as ${settled.error.kind}`);
  return settled.error as Extract<Failure, { kind: Kind }>;
};

/** Checks that both have the same content. A JSON object has no order of fields (RFC 8259, section 4). */
export const equal = (actual: unknown, expected: unknown, what: string): void => {
  if (!isSame(actual, expected)) fail(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
};

/** Checks that a stored value has the content that was sent. A system may add fields, such as a version. */
export const stored = (actual: unknown, sent: unknown, what: string): void => {
  if (!contains(actual, sent)) equal(actual, sent, what);
};

export const check = (condition: boolean, what: string): void => {
  if (!condition) fail(what);
};

/** Whether a list contains this locator. A failed list shows nothing. */
export const isListed = async (list: ResultAsync<Json, Failure>, locator: string): Promise<boolean> =>
  list.match(
    ({ text }) => text.includes(locator),
    () => false,
  );

const fail = (what: string): never => {
  throw new Error(`Broken: ${what}`);
};
