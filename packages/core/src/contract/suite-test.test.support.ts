import { describe, expect, it } from 'vitest';
import { BrokenPromise, type ContractSuite, type SubjectExtras } from './contract-suite.ts';
import { type Failure, type Service, upstream } from '../shared/failure.ts';
import { faults, type SourceFault } from './failing-source.ts';
import { generalPromises } from './supervision.ts';

/** What an unsafe adapter does, how a subject gets it, and the promise that the suite must name. */
export type UnsafeAdapter<Subject> = readonly [
  does: string,
  change: (subject: Subject) => Subject & SubjectExtras,
  promise: string,
];

/** What an adapter does that is unusual, but keeps every promise, and how a subject gets it. */
type HonestAdapter<Subject> = readonly [does: string, change: (subject: Subject) => Subject & SubjectExtras];

/** Runs a suite and returns the error message of each broken promise, by promise. */
export const brokenBy = async <Subject>(
  suite: ContractSuite<Subject>,
  make: Parameters<ContractSuite<Subject>>[1],
  deadlineMs?: number,
): Promise<Readonly<Record<string, string>>> => {
  const tests: (() => Promise<void>)[] = [];
  const runner = {
    describe: (_: string, body: () => void) => body(),
    it: (_: string, body: () => Promise<void>) => tests.push(body),
  };
  suite({ ...runner, ...(deadlineMs !== undefined && { deadlineMs }) }, make);
  const broken: [string, string][] = [];
  for (const test of tests)
    await test().catch((error: unknown) => {
      if (!(error instanceof BrokenPromise)) throw error;
      broken.push(...error.promises.map((promise): [string, string] => [promise, error.message]));
    });
  return Object.fromEntries(broken);
};

/** Tests a suite: it passes for the subject, and catches each unsafe adapter by the promise that names what it breaks. */
export const testSuite = <Subject>(
  port: string,
  suite: ContractSuite<Subject>,
  make: () => Subject & SubjectExtras,
  unsafe: readonly UnsafeAdapter<Subject>[],
  honest: readonly HonestAdapter<Subject>[] = [],
): void => {
  describe(`the suite of ${port}`, () => {
    it(`passes for an adapter of ${port} that keeps its promises`, async () => {
      expect(await brokenBy(suite, make)).toEqual({});
    });

    it.each(honest)(`passes for an adapter of ${port} that %s`, async (_, change) => {
      expect(await brokenBy(suite, () => change(make()))).toEqual({});
    });

    it.each(unsafe)(`catches an adapter of ${port} that %s`, async (_, change, promise) => {
      const deadlineMs = promise === generalPromises.settles ? 1 : undefined;
      const broken = await brokenBy(suite, () => change(make()), deadlineMs);
      expect(Object.keys(broken)).toContain(promise);
      expect(broken[promise], 'the reason').not.toMatch(/Broken: *(?::|$)/m);
    });
  });
};

/** The adapter, with other members. A proxy and not a copy, because a property may be a getter. */
export const overridden = <Port extends object>(port: Port, change: Partial<Port>): Port =>
  new Proxy(port, { get: (_, name) => Reflect.get(Object.hasOwn(change, name) ? change : port, name) as unknown });

/** Changes operations of the port under this name of a subject. */
export const changing =
  <Name extends string, Subject extends Readonly<Record<Name, object>>>(name: Name) =>
  (change: (port: Subject[Name]) => Partial<Subject[Name]>) =>
  (good: Subject): Subject => ({ ...good, [name]: overridden(good[name], change(good[name])) });

/** The failure of a fake whose source has this fault. */
export const failed = (service: Service, fault: SourceFault): Failure => upstream(service, faults[fault][0]);
