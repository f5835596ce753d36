/**
 * The functions of vitest that the tests of this project use. They keep tests in memory, so that one process can run
 * single tests again for each mutant. Assertions are those of vitest.
 */
import { pathToFileURL } from 'node:url';

type Work = (...args: never[]) => unknown;
type Hook = () => unknown;

export interface Suite {
  readonly parent: Suite | undefined;
  readonly beforeAll: Hook[];
  readonly afterAll: Hook[];
  readonly beforeEach: Hook[];
  readonly afterEach: Hook[];
}

export interface Test {
  /** `<file>#<position> <name>`, the same in each process. */
  readonly id: string;
  readonly suite: Suite;
  readonly work: (context: object) => unknown;
}

/** The state of a worker, without which vitest refuses to create an assertion. */
Object.assign(globalThis, {
  __vitest_worker__: {
    config: {},
    ctx: { config: {} },
    filepath: '',
    environment: { name: 'node' },
    metaEnv: {},
    durations: {},
  },
});
const vitest = await import('vitest');
export const { vi, expectTypeOf, assert } = vitest;
// Fake timers replace the global ones.
const { setTimeout } = globalThis;

const newSuite = (parent?: Suite): Suite => ({ parent, beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] });

let file = '';
let suite = newSuite();
let tests: Test[] = [];
let finished: Hook[] = [];
const loaded = new Map<string, readonly Test[]>();

/** Loads a test file, once in each process, and returns its tests in order. */
export const loadTests = async (path: string): Promise<readonly Test[]> => {
  const known = loaded.get(path);
  if (known) return known;
  file = path;
  suite = newSuite();
  tests = [];
  const own = tests;
  await import(pathToFileURL(path).href);
  loaded.set(path, own);
  return own;
};

/** Returns and forgets what the last test registered with `onTestFinished`, last one first. */
export const takeFinished = (): readonly Hook[] => {
  const taken = finished.toReversed();
  finished = [];
  return taken;
};

const addTest = (name: unknown, work: Work) => {
  tests.push({ id: `${file}#${tests.length} ${String(name)}`, suite, work: work as Test['work'] });
};

const addSuite = (_: unknown, work: Work) => {
  const outer = suite;
  suite = newSuite(outer);
  try {
    work();
  } finally {
    suite = outer;
  }
};

/** The last function among the arguments of `describe` or `it`, after the name and the options. */
const workOf = (args: readonly unknown[]) => args.findLast((argument) => typeof argument === 'function') as Work;

/** Creates `describe` or `it`. */
const definition = (add: (name: unknown, work: Work) => void) => {
  const define = (name: unknown, ...args: readonly unknown[]) => add(name, workOf(args));
  const skip = Object.assign(() => undefined, { each: () => () => undefined });
  const each =
    (rows: readonly unknown[]) =>
    (name: unknown, ...args: readonly unknown[]) => {
      // As in vitest: rows are columns only if all of them are arrays.
      const hasColumns = rows.every((row) => Array.isArray(row));
      for (const row of rows)
        add(name, () => (workOf(args) as (...columns: unknown[]) => unknown)(...(hasColumns ? (row as []) : [row])));
    };
  const runIf = (condition: unknown) => (condition ? whole : skip);
  const whole = Object.assign(define, { each, skip, runIf, skipIf: (condition: unknown) => runIf(!condition) });
  return whole;
};

export const describe = definition(addSuite);
export const it = definition(addTest);
export const test = it;
export const beforeAll = (hook: Hook): void => void suite.beforeAll.push(hook);
export const afterAll = (hook: Hook): void => void suite.afterAll.unshift(hook);
export const beforeEach = (hook: Hook): void => void suite.beforeEach.push(hook);
export const afterEach = (hook: Hook): void => void suite.afterEach.unshift(hook);
export const onTestFinished = (hook: Hook): void => void finished.push(hook);

type Matchers = Record<string, (...args: readonly unknown[]) => unknown> & { readonly not: Matchers };

/** Vitest's own `poll` works in its workers only. A condition that never becomes true is reported after a minute. */
const poll = (get: () => unknown) => {
  const until = async (matches: (value: unknown) => unknown, end = performance.now() + 60_000): Promise<void> => {
    try {
      matches(await get());
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
      await until(matches, end);
    }
  };
  const matchers = (negated: boolean): object =>
    new Proxy(
      {},
      {
        get: (_, name: string) =>
          name === 'not'
            ? matchers(true)
            : (...args: readonly unknown[]) =>
                until((value) => {
                  const assertion = vitest.expect(value) as unknown as Matchers;
                  return (negated ? assertion.not : assertion)[name]?.(...args);
                }),
      },
    );
  return matchers(false);
};

export const expect: typeof vitest.expect = new Proxy(vitest.expect, {
  get: (target, name) => (name === 'poll' ? poll : Reflect.get(target, name)),
});
