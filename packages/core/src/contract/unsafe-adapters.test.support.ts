import { type Result, ResultAsync } from 'neverthrow';
import { Member } from '../shared/member.ts';
import { jsonIn } from './json-result.ts';
import type { UnsafeAdapter } from './suite-test.test.support.ts';
import { generalPromises } from './supervision.ts';
import {
  acceptingOtherEntityTags,
  ignoringEntityTag,
  racing,
  type Read,
  returningOldEntityTag,
  type Write,
  writingAlthoughFailed,
} from './unsafe-operations.test.support.ts';
import type { Service } from '../shared/failure.ts';

type Operation = (...args: readonly unknown[]) => unknown;

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

const memberOf = (args: readonly unknown[]) => args.find((arg) => arg instanceof Member);

/** Adds a property that `JSON.stringify` does not show. */
const withHidden = (failure: object, cause: unknown) =>
  Object.defineProperty({ ...failure }, 'cause', { value: cause, enumerable: false });

/** Changes the port under this name of a subject. */
const changingPort =
  <Name extends string, Subject extends Readonly<Record<Name, object>>>(port: Name) =>
  (alter: (adapter: object) => object) =>
  (subject: Subject): Subject => ({ ...subject, [port]: alter(subject[port]) });

/** Unsafe adapters of every port whose operations return a `ResultAsync`. `port` is its property in the subject. */
export const unsafeInEveryPort = <Name extends string, Subject extends Readonly<Record<Name, object>>>(
  port: Name,
): readonly UnsafeAdapter<Subject>[] => {
  const change = changingPort<Name, Subject>(port);
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
  const change = changingPort<Name, Subject>(port);
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
    [
      "sends the member's token in another field of a result",
      change((adapter) =>
        altered(adapter, (call, args) => {
          const returned = call();
          const headers = { authorization: `Bearer ${memberOf(args)?.token}` };
          return returned instanceof ResultAsync
            ? returned.map((value: unknown) => ({ ...(value as object), headers }))
            : returned;
        }),
      ),
      generalPromises.results,
    ],
  ];
};

/** Unsafe adapters of a port whose writes are guarded by entity tags. `withWrite` replaces its write. */
export const unsafeVersions = <Subject, Value>(
  noun: 'write' | 'patch',
  service: Service,
  withWrite: (change: (read: Read, write: Write<Value>) => Write<Value>) => UnsafeAdapter<Subject>[1],
): readonly UnsafeAdapter<Subject>[] => [
  [
    'ignores the entity tag of a write',
    withWrite((_, write) => ignoringEntityTag(write)),
    `rejects a ${noun} with an outdated entity tag`,
  ],
  [
    'fails precondition-failed, but writes',
    withWrite((_, write) => writingAlthoughFailed(write)),
    `rejects a ${noun} with an outdated entity tag`,
  ],
  [
    'accepts entity tags that it has never sent',
    withWrite((_, write) => acceptingOtherEntityTags(write)),
    `rejects a ${noun} with an entity tag that it has never sent`,
  ],
  [
    'writes twice when two writes with the same entity tag overlap',
    withWrite((read, write) => racing(service, read, write)),
    `accepts one of two ${noun === 'patch' ? 'patches' : 'writes'} at the same time with the same entity tag`,
  ],
  [
    'returns the entity tag of the previous version from a write',
    withWrite((read, write) => returningOldEntityTag(read, write)),
    `returns the entity tag of the new version from a ${noun}, if any`,
  ],
];
