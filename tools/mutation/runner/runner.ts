/**
 * A test runner for Stryker that keeps modules and tests in one process: ten times as fast as its runner for vitest, which
 * starts a worker for each mutant.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isIn, runTests } from './run-tests.ts';
import { loadTests, type Suite, type Test } from './stand-in.ts';
import { testFiles } from './test-files.ts';

type Hits = Record<string, number>;

/** The variable through which the instrumented code reports its coverage and learns which mutant is active. */
interface Instrumentation {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { readonly static: Hits; readonly perTest: Record<string, Hits> };
}

interface MutantRun {
  readonly activeMutant: { readonly id: string };
  /** The ids of the tests to run. Undefined: all. */
  readonly testFilter?: readonly string[];
  readonly hitLimit?: number;
  /** `static` mutants are active while modules load, in a process of their own. */
  readonly mutantActivation: 'static' | 'runtime';
}

const instrumentation: Instrumentation = {};
Object.assign(globalThis, { __stryker__: instrumentation });
Object.assign(process.env, { no_proxy: '*', NODE_ENV: 'test' });

const { MUTATION_FOLDER: folder, MUTATION_NOCK: nock } = process.env;
const ownFiles = () => testFiles('.', { folder, nock: nock === '1' });

/** The tests that fail without a mutant, in the copy of the package. Mutants are not tested with them. */
const failingTests = 'failing-tests.json';

const messageOf = (failure: unknown) => (failure instanceof Error ? failure.message : String(failure)).slice(0, 300);

class InProcessRunner {
  static readonly inject = [];
  #isDirty = false;
  #runs = 0;

  capabilities() {
    return { reloadEnvironment: false };
  }

  async dryRun() {
    const tests: object[] = [];
    const failing: string[] = [];
    for (const file of ownFiles()) {
      const suites = new Map<string, Suite>();
      let startedAt = 0;
      const own = await loadTests(file);
      await runTests(own, {
        before: (subject) => {
          const id = 'id' in subject ? subject.id : `suite ${suites.size}`;
          if (!('id' in subject)) suites.set(id, subject);
          instrumentation.currentTestId = id;
          startedAt = performance.now();
        },
        after: ({ id }, failure) => {
          instrumentation.currentTestId = undefined;
          if (failure === undefined)
            tests.push({ id, name: id, fileName: file, status: 0, timeSpentMs: performance.now() - startedAt });
          else {
            failing.push(id);
            console.error(`Not used, because it fails without a mutant: ${id}: ${messageOf(failure)}`);
          }
          return true;
        },
      });
      this.#attribute(suites, own);
    }
    const mutantCoverage = instrumentation.mutantCoverage ?? { static: {}, perTest: {} };
    for (const id of failing) delete mutantCoverage.perTest[id];
    writeFileSync(failingTests, JSON.stringify(failing));
    return { status: 'complete', tests, mutantCoverage };
  }

  /** What `beforeAll` of a suite runs counts as covered by each test of the suite. */
  #attribute(suites: ReadonlyMap<string, Suite>, tests: readonly Test[]): void {
    const perTest = instrumentation.mutantCoverage?.perTest ?? {};
    for (const [id, suite] of suites) {
      const hits = perTest[id];
      delete perTest[id];
      if (hits) for (const test of tests) if (isIn(test, suite)) perTest[test.id] = { ...hits, ...perTest[test.id] };
    }
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation }: MutantRun) {
    // Stryker repeats a mutant in a new process when this method throws.
    if (this.#isDirty) throw new Error('An earlier mutant left something behind.');
    this.#runs += 1;
    const failing: readonly string[] = existsSync(failingTests) ? JSON.parse(readFileSync(failingTests, 'utf8')) : [];
    const isWanted = ({ id }: Test) => !failing.includes(id) && (testFilter?.includes(id) ?? true);
    const files = testFilter ? new Set(testFilter.map((id) => id.slice(0, id.indexOf('#')))) : ownFiles();
    let nrOfTests = 0;
    for (const file of files) {
      if (mutantActivation === 'static') instrumentation.activeMutant = activeMutant.id;
      const tests = await loadTests(file).catch((error: unknown) => messageOf(error));
      if (typeof tests === 'string') return { status: 'killed', killedBy: [], failureMessage: tests, nrOfTests };
      const wanted = tests.filter(isWanted);
      nrOfTests += wanted.length;
      const { killer, failure, isEndless } = await run(wanted, { activeMutant: activeMutant.id, hitLimit });
      if (killer && mutantActivation === 'runtime') await this.#confirm(killer, activeMutant.id);
      if (isEndless) return { status: 'timeout', reason: 'The hit limit was reached.' };
      if (killer) return { status: 'killed', killedBy: [killer.id], failureMessage: messageOf(failure), nrOfTests };
    }
    return { status: 'survived', nrOfTests };
  }

  /** The test must pass without the mutant and fail with it again; if not, an earlier mutant may be why it failed. */
  async #confirm(test: Test, activeMutant: string): Promise<void> {
    this.#isDirty = (await run([test], {})).killer !== undefined;
    if (this.#runs === 1) return;
    if (this.#isDirty || !(await run([test], { activeMutant })).killer)
      throw new Error('An earlier mutant left something behind.');
  }
}

/** Runs tests of one file up to the first that fails. `isEndless`: the mutant was reached more often than allowed. */
const run = async (
  tests: readonly Test[],
  { activeMutant, hitLimit }: Pick<Instrumentation, 'activeMutant' | 'hitLimit'>,
) => {
  Object.assign(instrumentation, { activeMutant, hitCount: 0, hitLimit });
  let killer: Test | undefined;
  let failure: unknown;
  await runTests(tests, {
    after: (test, why) => {
      if (why === undefined) return true;
      killer = test;
      failure = why;
      return false;
    },
  });
  const isEndless = hitLimit !== undefined && (instrumentation.hitCount ?? 0) > hitLimit;
  Object.assign(instrumentation, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
  return { killer, failure, isEndless };
};

export const strykerPlugins = [{ kind: 'TestRunner', name: 'in-process', injectableClass: InProcessRunner }];
