import { type Result, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { Member } from '../shared/member.ts';
import { BrokenPromise, type ContractSuite, type SubjectExtras } from './contract-suite.ts';
import { type Failure, type Service, upstream } from '../shared/failure.ts';
import type { SourceFault } from './failing-source.ts';
import { jsonIn } from './json-result.ts';
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
      expect(Object.keys(await brokenBy(suite, () => change(make()), deadlineMs))).toContain(promise);
    });
  });
};

type Operation = (...args: readonly unknown[]) => unknown;

/** The adapter, with other members. A proxy and not a copy, because a property may be a getter. */
export const overridden = <Port extends object>(port: Port, change: Partial<Port>): Port =>
  new Proxy(port, { get: (_, name) => Reflect.get(Object.hasOwn(change, name) ? change : port, name) as unknown });

/** The adapter, with `alter` around every operation. */
const altered = <Port extends object>(
  port: Port,
  alter: (returned: () => unknown, args: readonly unknown[]) => unknown,
): Port =>
  new Proxy(port, {
    get: (_, name) => {
      const value: unknown = Reflect.get(port, name);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => alter(() => (value as Operation)(...args), args);
    },
  });

/** The adapter, with `alter` around every failure. */
const withFailures = <Port extends object>(port: Port, alter: (failure: object, args: readonly unknown[]) => object) =>
  altered(port, (call, args) => {
    const returned = call();
    return returned instanceof ResultAsync
      ? returned.mapErr((failure: unknown) => alter(failure as object, args))
      : returned;
  });

/** The adapter, with `alter` around each `Json` result and each `Json` field of a result. */
const withJson = <Port extends object>(port: Port, alter: (json: object, args: readonly unknown[]) => object): Port =>
  altered(port, (call, args) => {
    const returned = call();
    if (!(returned instanceof ResultAsync)) return returned;
    return returned.map((value: unknown) => replaceJson(value, (json) => alter(json, args)));
  });

const replaceJson = (value: unknown, alter: (json: object) => object): unknown => {
  const found = jsonIn(value);
  const [first] = found;
  if (first === undefined) return value;
  if (first === value) return alter(first);
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]: [string, unknown]) => [
      name,
      found.some((json) => json === inner) ? alter(inner as object) : inner,
    ]),
  );
};

/** Makes a call once the event loop has turned. */
export const later = <T>(call: () => ResultAsync<T, Failure>): ResultAsync<T, Failure> =>
  ResultAsync.fromSafePromise(Promise.resolve()).andThen(call);

/** An operation in which calls that overlap use the member of the last one. */
export const mixingMembers = <Args extends readonly unknown[], T>(
  operation: (member: Member, ...args: Args) => ResultAsync<T, Failure>,
): typeof operation => {
  let current: Member;
  return (member, ...args) => {
    current = member;
    return later(() => operation(current, ...args));
  };
};

const memberOf = (args: readonly unknown[]) => args.find((arg) => arg instanceof Member);

/** Adds a property that `JSON.stringify` does not show. */
const withHidden = (failure: object, cause: unknown) =>
  Object.defineProperty({ ...failure }, 'cause', { value: cause, enumerable: false });

/** Unsafe adapters of every port whose operations return a `ResultAsync`. `port` is its property in the subject. */
export const unsafeInEveryPort = <Name extends string, Subject extends Readonly<Record<Name, object>>>(
  port: Name,
): readonly UnsafeAdapter<Subject>[] => {
  const change =
    (alter: (adapter: object) => object) =>
    (subject: Subject): Subject => ({ ...subject, [port]: alter(subject[port]) });
  const returning = (returned: () => unknown) => change((adapter) => altered(adapter, returned));
  return [
    [
      'throws',
      returning(() => {
        throw new TypeError('fetch failed');
      }),
      generalPromises.values,
    ],
    [
      'rejects',
      returning(() => new ResultAsync(Promise.reject<Result<unknown, never>>(new TypeError('fetch failed')))),
      generalPromises.values,
    ],
    [
      'never settles',
      returning(() => new ResultAsync(new Promise<Result<unknown, never>>(() => {}))),
      generalPromises.settles,
    ],
    [
      'shows its URL in a failure',
      (subject) => ({
        ...subject,
        secrets: ['https://10.0.0.7:8443/internal'],
        [port]: withFailures(subject[port], (failure) =>
          withHidden(failure, new AggregateError([new Error('connect ECONNREFUSED 10.0.0.7:8443')])),
        ),
      }),
      generalPromises.failures,
    ],
  ];
};

/** An unsafe adapter of a port to which the suite sends a canary in a call that fails. */
export const showsInput = <Name extends string, Subject extends Readonly<Record<Name, object>>>(
  port: Name,
): UnsafeAdapter<Subject> => [
  'shows its input in a failure',
  (subject) => ({
    ...subject,
    [port]: withFailures(subject[port], (failure, args) => ({ ...failure, detail: JSON.stringify(args) })),
  }),
  generalPromises.failures,
];

/** Unsafe adapters of every port of a member service, whose results are `Json`. */
export const unsafeInEveryService = <Name extends string, Subject extends Readonly<Record<Name, object>>>(
  port: Name,
): readonly UnsafeAdapter<Subject>[] => {
  const change =
    (alter: (adapter: object) => object) =>
    (subject: Subject): Subject => ({ ...subject, [port]: alter(subject[port]) });
  return [
    ...unsafeInEveryPort<Name, Subject>(port),
    [
      "shows the member's token in the cause of a failure",
      change((adapter) =>
        withFailures(adapter, (failure, args) =>
          withHidden(failure, new Error('failed', { cause: { headers: `Bearer ${memberOf(args)?.token}` } })),
        ),
      ),
      generalPromises.failures,
    ],
    [
      "shows the member's locator in a failure",
      change((adapter) => withFailures(adapter, (failure, args) => ({ ...failure, member: memberOf(args) }))),
      generalPromises.failures,
    ],
    [
      "shows the member's token in a failure when it is serialized",
      change((adapter) =>
        withFailures(adapter, (failure, args) => ({ ...failure, toJSON: () => memberOf(args)?.token })),
      ),
      generalPromises.failures,
    ],
    [
      "shows the member's token in a failure when it is converted to a string",
      change((adapter) =>
        withFailures(adapter, (failure, args) => ({ ...failure, toString: () => `${memberOf(args)?.token}` })),
      ),
      generalPromises.failures,
    ],
    [
      'sends a text with another content than its value',
      change((adapter) => withJson(adapter, (json) => ({ ...json, text: '{"locator":"CLM-OTHER"}' }))),
      generalPromises.json,
    ],
    [
      'sends a text that is not JSON',
      change((adapter) => withJson(adapter, (json) => ({ ...json, text: '<html>' }))),
      generalPromises.json,
    ],
    [
      'sends a weak entity tag',
      change((adapter) => withJson(adapter, (json) => ({ ...json, etag: 'W/"1"' }))),
      generalPromises.etags,
    ],
    [
      "sends the member's token in an entity tag",
      change((adapter) => withJson(adapter, (json, args) => ({ ...json, etag: `"${memberOf(args)?.token}"` }))),
      generalPromises.results,
    ],
    [
      "sends the member's token in a result",
      change((adapter) =>
        withJson(adapter, (_, args) => {
          const value = { token: memberOf(args)?.token };
          return { text: JSON.stringify(value), value };
        }),
      ),
      generalPromises.results,
    ],
  ];
};

/** The failure of a fake whose source has this fault. */
export const failed = (service: Service, fault: SourceFault): Failure =>
  upstream(
    service,
    ({ refused: 'unreachable', slow: 'timeout', garbage: 'malformed', reset: 'unreachable' } as const)[fault],
  );
