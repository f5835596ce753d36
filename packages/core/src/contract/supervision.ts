import { type Result, ResultAsync } from 'neverthrow';
import { Member } from '../shared/member.ts';
import { withDeadline } from './deadline.ts';
import { isObject } from '../shared/json/json.ts';
import { differenceOf, hasUsableEtag, isSameData, jsonIn } from './json-result.ts';
import { findLeak, type Secret } from './leaks.ts';
import { isStream, withStreams } from './streams.ts';

/** What every call of every port promises, whatever a suite tests. */
export const generalPromises = {
  values: 'returns every failure as a value, and never throws or rejects',
  settles: 'settles every call',
  json: 'returns JSON text with the same content as its value',
  etags: 'returns only strong entity tags',
  failures: 'keeps locators, tokens, URLs and bodies out of its failures',
  results: 'keeps tokens out of its results',
  members: 'returns nothing of one member to another member',
} as const;

/** Part of what suites send as private data: drafts, queries, passwords. No failure may contain it. */
export const canary = 'canary-7f3a9c';

export interface Supervision<Subject> {
  /** The subject, with ports whose calls are supervised. */
  readonly subject: Subject;
  /** Waits for the calls that are still pending, and returns what was violated. */
  end(): Promise<readonly Violation[]>;
}

interface SupervisionSettings {
  readonly deadlineMs: number;
  readonly reads: readonly string[];
  readonly secrets: readonly string[];
  readonly returnsTokens: boolean;
}

/** A call that broke a general promise. A call without a result rejects with it. */
export class Violation extends Error {
  readonly promise: string;

  constructor(promise: keyof typeof generalPromises, message: string, cause?: unknown) {
    super(message, { cause });
    this.promise = generalPromises[promise];
  }
}

type Operation = (...args: readonly unknown[]) => unknown;

/** Checks every call of the subject's ports against the general promises. */
export const supervise = <Subject extends object>(
  subject: Subject,
  settings: SupervisionSettings,
): Supervision<Subject> => {
  const supervisor = new Supervisor(subject, settings);
  const ports = Object.entries(subject).filter((entry): entry is [string, object] => isPort(entry[1]));
  if (ports.length === 0) throw new TypeError('The subject has no port: no property of its own has methods.');
  const supervised = ports.map(([name, port]) => [name, supervisor.proxyOf(name, port)]);
  return {
    subject: Object.assign(
      Object.create(Reflect.getPrototypeOf(subject)),
      subject,
      Object.fromEntries(supervised),
    ) as Subject,
    end: () => supervisor.end(),
  };
};

class Supervisor {
  readonly #settings: SupervisionSettings;
  readonly #members: readonly Member[];
  readonly #inspect: ReturnType<typeof inspector>;
  readonly #violations: Violation[] = [];
  readonly #pending: Promise<unknown>[] = [];

  constructor(subject: object, settings: SupervisionSettings) {
    this.#settings = settings;
    this.#members = Object.values(subject)
      .flat()
      .filter((value) => value instanceof Member);
    this.#inspect = inspector(this.#members, settings);
  }

  /** A proxy of an empty object and not of the port, because a proxy cannot replace the methods of a frozen object. */
  proxyOf(name: string, port: object): object {
    return new Proxy(
      {},
      {
        get: (_, key) => {
          const value: unknown = Reflect.get(port, key);
          if (typeof value !== 'function') return value;
          const operation: Operation = (...args) => Reflect.apply(value, port, args) as unknown;
          return this.#watched(`${name}.${String(key)}`, operation, this.#settings.reads.includes(String(key)));
        },
        has: (_, key) => key in port,
      },
    );
  }

  async end(): Promise<readonly Violation[]> {
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) await next;
    return this.#violations;
  }

  #watched(name: string, operation: Operation, isRead: boolean): Operation {
    return (...args) => {
      const returned = this.#call(name, operation, args);
      if (!isThenable(returned) && !isResult(returned)) return returned;
      const first = this.#settle(name, returned);
      const [member, ...rest] = args;
      const other = isRead && member instanceof Member ? this.#otherThan(member) : undefined;
      const asOther = async () => this.#settle(name, this.#call(name, operation, [other, ...rest]));
      const checked = other ? this.#compare(name, first, asOther) : first;
      this.#pending.push(checked.catch(() => {}));
      return 'match' in returned ? new ResultAsync(checked as Promise<Result<unknown, unknown>>) : checked;
    };
  }

  #call(name: string, operation: Operation, args: readonly unknown[]): unknown {
    try {
      return operation(...args);
    } catch (error) {
      throw this.#threw(name, 'threw', error);
    }
  }

  /** Waits for a call and inspects its result. Rejects with a `Violation` if there is no result. */
  async #settle(name: string, returned: unknown): Promise<unknown> {
    const settled = await this.#inTime(name, Promise.resolve(returned)).catch((error: unknown) => {
      throw error instanceof Violation ? error : this.#threw(name, 'rejected', error);
    });
    for (const [promise, message] of this.#inspect(settled)) this.#violated(promise, `${name}: ${message}`);
    return isResult(settled)
      ? settled.map((value) => withStreams(value, (next) => this.#inTime(`the content of ${name}`, next)))
      : settled;
  }

  async #inTime<T>(name: string, call: PromiseLike<T>): Promise<T> {
    const { deadlineMs } = this.#settings;
    const late = new Violation('settles', `${name} did not settle within ${deadlineMs} ms`);
    return withDeadline(call, deadlineMs, late).catch((error: unknown) => {
      if (error === late) this.#violations.push(late);
      throw error;
    });
  }

  /** Makes the call as another member, while it runs and afterwards. Neither may return the data of the first one. */
  async #compare(name: string, first: Promise<unknown>, asOther: () => Promise<unknown>): Promise<unknown> {
    const [own, atOnce] = await Promise.all([first, asOther()]);
    for (const others of [atOnce, await asOther()])
      for (const [nth, json] of jsonIn(valueOf(own)).entries()) {
        const other = jsonIn(valueOf(others))[nth];
        if (other && isSameData(json, other))
          this.#violated('members', `${name} returned the same data to two members`);
      }
    return own;
  }

  #otherThan({ locator }: Member): Member | undefined {
    return this.#members.find((one) => one.locator !== locator);
  }

  #violated(...violation: ConstructorParameters<typeof Violation>): Violation {
    const found = new Violation(...violation);
    this.#violations.push(found);
    return found;
  }

  #threw(name: string, how: 'threw' | 'rejected', error: unknown): Violation {
    return this.#violated('values', `${name} ${how}: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/** Creates the inspection of a settled call: a `Result`, or the plain value of a promise. Yields what is wrong. */
const inspector = (members: readonly Member[], { secrets, returnsTokens }: SupervisionSettings) => {
  const tokens = members.map(({ token }): Secret => ({ what: "a member's token", value: token }));
  const sought: readonly Secret[] = [
    ...tokens,
    ...members.map(({ locator }): Secret => ({ what: "a member's locator", value: locator })),
    ...secrets.map((value): Secret => ({ what: 'a secret of the subject', value })),
    { what: 'what the member sent', value: canary },
  ];
  return function* (settled: unknown): Generator<readonly [keyof typeof generalPromises, string]> {
    const leak = isResult(settled) && settled.isErr() ? findLeak(settled.error, sought) : undefined;
    if (leak !== undefined) yield ['failures', leak];
    for (const json of jsonIn(valueOf(settled))) {
      const difference = differenceOf(json);
      if (difference !== undefined) yield ['json', difference];
      if (!hasUsableEtag(json)) yield ['etags', 'the entity tag is weak or malformed'];
    }
    const leaked = returnsTokens ? undefined : findLeak(shownIn(valueOf(settled)), tokens, 'result');
    if (leaked !== undefined) yield ['results', leaked];
  };
};

/** What to search in a result: neither its streams, nor the value of JSON, whose text is searched. */
const shownIn = (value: unknown): unknown => {
  if (!isObject(value)) return value;
  const json = new Set<unknown>(jsonIn(value));
  // Properties of a class are not copied.
  if (json.has(value)) return { ...value, text: value['text'], etag: value['etag'], value: undefined };
  const fields = Object.entries(value).filter(([, field]) => !isStream(field));
  return Object.fromEntries(fields.map(([name, field]) => [name, json.has(field) ? shownIn(field) : field]));
};

const isResult = (value: unknown): value is Result<unknown, unknown> =>
  isObject(value) && 'isErr' in value && 'isOk' in value;

/** The value of a successful `Result`, or of a plain promise. */
const valueOf = (settled: unknown): unknown => {
  if (!isResult(settled)) return settled;
  return settled.isOk() ? settled.value : undefined;
};

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  isObject(value) && typeof value['then'] === 'function';

/** Whether a property of a subject is a port: an object with methods, of its own or of its class. */
const isPort = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Member) return false;
  for (let level: object | null = value; level && level !== Object.prototype; level = Reflect.getPrototypeOf(level))
    for (const name of Reflect.ownKeys(level))
      if (name !== 'constructor' && typeof Reflect.getOwnPropertyDescriptor(level, name)?.value === 'function')
        return true;
  return false;
};
