import { type Suite, takeFinished, type Test } from './stand-in.ts';

// Fake timers of tests replace the global ones.
const { setInterval } = globalThis;

let fail: ((reason: unknown) => void) | undefined;
let stray: unknown;

const onStray = (error: unknown) => {
  stray = error ?? new Error('A promise was rejected without a reason.');
  fail?.(stray);
};
process.on('unhandledRejection', onStray).on('uncaughtException', onStray);

const millisecondsBetweenSamples = 250;
const idleSamples = 12;
let used = process.cpuUsage();
let idle = 0;

// A test hangs when the process uses almost no processor time for three seconds: also right on a busy machine.
setInterval(() => {
  const { user, system } = process.cpuUsage(used);
  used = process.cpuUsage();
  idle = user + system < 8000 ? idle + 1 : 0;
  if (idle >= idleSamples) fail?.(new Error('The test hangs.'));
}, millisecondsBetweenSamples).unref();

const settled = <T>(work: () => T | Promise<T>): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    idle = 0;
    fail = reject;
    Promise.resolve().then(work).then(resolve, reject);
  }).finally(() => {
    fail = undefined;
  });

const suitesOf = (suite: Suite | undefined): readonly Suite[] => (suite ? [...suitesOf(suite.parent), suite] : []);

export const isIn = (test: Test, suite: Suite): boolean => suitesOf(test.suite).includes(suite);

type Hook = () => unknown;

/** Runs hooks and returns the clean-up functions that they returned, last one first. */
const runHooks = async (hooks: readonly Hook[]): Promise<readonly Hook[]> => {
  const cleanUps: Hook[] = [];
  for (const hook of hooks) {
    const cleanUp = await settled(hook);
    if (typeof cleanUp === 'function') cleanUps.unshift(cleanUp as Hook);
  }
  return cleanUps;
};

/** Returns why a test fails, or undefined. */
const failureOf = async (test: Test): Promise<unknown> => {
  const suites = suitesOf(test.suite);
  let failure: unknown;
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      failure ??= error ?? new Error('The test threw undefined.');
    }
  };
  stray = undefined;
  let cleanUps: readonly Hook[] = [];
  await attempt(async () => {
    cleanUps = await runHooks(suites.flatMap(({ beforeEach }) => beforeEach));
    await settled(() => test.work({}));
  });
  const after = suites.toReversed().flatMap(({ afterEach }) => afterEach);
  for (const hook of [...cleanUps, ...after, ...takeFinished()]) await attempt(() => settled(hook));
  return failure ?? stray;
};

export interface Observer {
  /** Called before the hooks and the work of a suite (`beforeAll`) or a test. */
  readonly before?: (subject: Suite | Test) => void;
  /** Returns whether to continue. */
  readonly after: (test: Test, failure: unknown) => boolean;
}

/** Runs tests of one file in order, with the hooks of their suites. */
export const runTests = async (tests: readonly Test[], { before, after }: Observer): Promise<void> => {
  const open: Suite[] = [];
  const cleanUps = new Map<Suite, readonly Hook[]>();
  const close = async (length: number) => {
    for (const suite of open.splice(length).toReversed())
      for (const hook of [...(cleanUps.get(suite) ?? []), ...suite.afterAll])
        await settled(hook).catch(() => undefined);
  };
  const enter = async (suites: readonly Suite[]) => {
    for (const suite of suites) {
      open.push(suite);
      before?.(suite);
      cleanUps.set(suite, await runHooks(suite.beforeAll));
    }
  };
  for (const test of tests) {
    const suites = suitesOf(test.suite);
    const different = suites.findIndex((suite, index) => open[index] !== suite);
    const shared = different === -1 ? suites.length : different;
    await close(shared);
    const setUp = await enter(suites.slice(shared)).then(
      () => undefined,
      (error: unknown) => error ?? new Error('A hook threw undefined.'),
    );
    before?.(test);
    if (!after(test, setUp ?? (await failureOf(test)))) break;
  }
  await close(0);
};
