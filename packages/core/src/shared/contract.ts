import type { Result, ResultAsync } from 'neverthrow';
import type { Failure } from './failure.ts';

/** The two functions that vitest, jest and node:test have in common. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** Runs one test for each promise of a port. `make` creates a new subject for each test. */
export type ContractSuite<Subject> = (runner: TestRunner, make: () => Subject | Promise<Subject>) => void;

/** Creates the contract suite of a port from its promises: a sentence each, and what verifies it. */
export const contractSuite =
  <Subject>(
    port: string,
    promises: Readonly<Record<string, (subject: Subject) => Promise<void>>>,
  ): ContractSuite<Subject> =>
  ({ describe, it }, make) => {
    describe(`the ${port} contract`, () => {
      for (const [promise, verify] of Object.entries(promises))
        it(promise, async () => {
          try {
            await verify(await make());
          } catch (error) {
            throw new BrokenPromise(port, promise, error);
          }
        });
    });
  };

/** Names the port, the promise that is broken, and the reason. Thrown by the tests of a `ContractSuite`. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';

  constructor(port: string, promise: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The ${port} contract promises: ${promise}. ${reason}`, { cause });
  }
}

/** Returns the value of a call that must succeed. */
export const succeeds = async <T>(result: ResultAsync<T, Failure>): Promise<T> =>
  (await result).match(
    (value) => value,
    (failure) => fail(`should have succeeded, but failed: ${describeFailure(failure)}`),
  );

/** Omits the cause of an unexpected failure: it comes from foreign code and may contain secrets. */
const describeFailure = (failure: Failure): string =>
  failure.kind === 'unexpected' ? failure.kind : JSON.stringify(failure);

/** Checks that a call fails with this kind of failure. */
export const failsAs = async (kind: Failure['kind'], result: ResultAsync<unknown, Failure>): Promise<void> => {
  const settled: Result<unknown, Failure> = await result;
  if (settled.isOk()) fail(`should have failed as ${kind}, but succeeded`);
  else if (settled.error.kind !== kind) fail(`should have failed as ${kind}, not as ${settled.error.kind}`);
};

export const equal = (actual: unknown, expected: unknown, what: string): void => {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    fail(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
};

export const check = (condition: boolean, what: string): void => {
  if (!condition) fail(what);
};

const fail = (what: string): never => {
  throw new Error(`Broken: ${what}`);
};
