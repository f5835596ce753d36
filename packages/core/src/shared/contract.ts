import type { Result, ResultAsync } from 'neverthrow';
import type { Failure } from './failure.ts';

/** The two functions that vitest, jest and node:test have in common. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** Puts every promise of a port to a subject made anew for each. */
export type ContractSuite<Subject> = (runner: TestRunner, make: () => Subject | Promise<Subject>) => void;

export const contractSuite =
  <Subject>(
    port: string,
    promises: Readonly<Record<string, (subject: Subject) => Promise<void>>>,
  ): ContractSuite<Subject> =>
  ({ describe, it }, make) => {
    describe(`the ${port} contract`, () => {
      for (const [promise, holds] of Object.entries(promises))
        it(promise, async () => {
          try {
            await holds(await make());
          } catch (error) {
            throw new BrokenPromise(port, promise, error);
          }
        });
    });
  };

/** Says which promise of which port is broken, and how, whatever the test runner shows beside it. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';

  constructor(port: string, promise: string, cause: unknown) {
    const how = cause instanceof Error ? cause.message : String(cause);
    super(`The ${port} contract promises: ${promise}. ${how}`, { cause });
  }
}

/** The value of a call that the contract says succeeds. */
export const succeeds = async <T>(result: ResultAsync<T, Failure>): Promise<T> =>
  (await result).match(
    (value) => value,
    (failure) => broken(`should have succeeded, but failed: ${wordsOf(failure)}`),
  );

/** Not the cause of what is unexpected: it is anybody's, and may hold anything. */
const wordsOf = (failure: Failure): string => (failure.kind === 'unexpected' ? failure.kind : JSON.stringify(failure));

/** Checks that a call fails in the way the contract says. */
export const failsAs = async (kind: Failure['kind'], result: ResultAsync<unknown, Failure>): Promise<void> => {
  const settled: Result<unknown, Failure> = await result;
  if (settled.isOk()) broken(`should have failed as ${kind}, but succeeded`);
  else if (settled.error.kind !== kind) broken(`should have failed as ${kind}, not as ${settled.error.kind}`);
};

export const equal = (actual: unknown, expected: unknown, what: string): void => {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    broken(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
};

export const holds = (condition: boolean, what: string): void => {
  if (!condition) broken(what);
};

const broken = (what: string): never => {
  throw new Error(`Broken: ${what}`);
};
