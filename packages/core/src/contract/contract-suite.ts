import { disposeOf } from './dispose.ts';
import { supervise, type Supervision, Violation } from './supervision.ts';

export const testRunnerDefaults = { deadlineMs: 4000 } as const;

/**
 * The two functions that vitest, jest and node:test have in common, and how long the suite waits. Defaults:
 * `testRunnerDefaults`.
 */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
  /**
   * How long a call of the subject may take, in milliseconds. Keep it below the time limit of the test runner, so that
   * the failed test names the call.
   */
  readonly deadlineMs?: number;
}

/** What every subject may offer in addition. It is disposed of after its test if it has `Symbol.asyncDispose`. */
export interface SubjectExtras {
  /**
   * Strings that no failure may contain, such as the URL of the service or a password. The locators and tokens of the
   * subject's members need not be listed.
   */
  readonly secrets?: readonly string[];
}

/**
 * Runs one test for each promise of a port. `make` creates a new subject for each test. A broken promise fails its test
 * with a `BrokenPromise`.
 */
export type ContractSuite<Subject> = (
  runner: TestRunner,
  make: () => (Subject & SubjectExtras) | Promise<Subject & SubjectExtras>,
) => void;

/** What the suite knows about its subjects. */
export interface Checks<Subject> {
  /**
   * Operations of the ports whose data is different for any two members of the subject. Each such call is also made as
   * another member, at the same time and afterwards, and the results are compared.
   */
  readonly reads?: readonly string[];
  /** More strings of the subject that no failure may contain. */
  readonly secrets?: (subject: Subject) => readonly string[];
  /** Whether results of the ports may contain the tokens of members, such as header fields for a service. Default false. */
  readonly returnsTokens?: boolean;
}

/**
 * Creates the contract suite of a port from its own promises. Every call that a promise makes is also checked against
 * `generalPromises`. The ports of a subject are its properties that have methods; members and functions are passed on.
 */
export const contractSuite =
  <Subject extends object>(
    port: string,
    promises: Readonly<Record<string, (subject: Subject) => Promise<void>>>,
    { reads = [], secrets = () => [], returnsTokens = false }: Checks<Subject> = {},
  ): ContractSuite<Subject> =>
  ({ describe, it, deadlineMs = testRunnerDefaults.deadlineMs }, make) => {
    describe(`the ${port} contract`, () => {
      for (const [promise, verify] of Object.entries(promises))
        it(promise, async () => {
          const subject = await make();
          const hidden = [...(subject.secrets ?? []), ...secrets(subject)];
          const settings = { deadlineMs, reads, secrets: hidden, returnsTokens };
          let broken: unknown;
          try {
            await keep(port, promise, verify, supervise(subject, settings));
          } catch (error) {
            broken = error;
          }
          // A broken promise is the more useful error: the disposal may fail because of it.
          await disposeOf(subject).catch((error: unknown) => {
            broken ??= error;
          });
          if (broken !== undefined) throw broken;
        });
    });
  };

/** Runs one promise, and throws if it or a general promise was broken. */
const keep = async <Subject>(
  port: string,
  promise: string,
  verify: (subject: Subject) => Promise<void>,
  supervision: Supervision<Subject>,
): Promise<void> => {
  const broken: Broken[] = [];
  let cause: unknown;
  try {
    await verify(supervision.subject);
  } catch (error) {
    cause = error;
    if (!(error instanceof Violation)) broken.push({ promise, reason: messageOf(error) });
  }
  for (const violation of await supervision.end()) {
    cause ??= violation;
    broken.push({ promise: violation.promise, reason: `Broken: ${violation.message}` });
  }
  if (broken.length > 0) throw new BrokenPromise(port, broken, cause);
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Broken {
  readonly promise: string;
  readonly reason: string;
}

/** Names the port, each promise that is broken, and the reason. Thrown by the tests of a `ContractSuite`. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
  /** The broken promises: that of the test, and general ones that a call of the test broke. */
  readonly promises: readonly string[];

  constructor(port: string, broken: readonly Broken[], cause: unknown) {
    const sentences = broken.map(({ promise, reason }) => `The ${port} contract promises: ${promise}. ${reason}`);
    super([...new Set(sentences)].join('\n'), { cause });
    this.promises = [...new Set(broken.map(({ promise }) => promise))];
  }
}
