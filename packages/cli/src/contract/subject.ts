import type {
  ClaimsSubject,
  ConsentSubject,
  DocumentsSubject,
  EligibilitySubject,
  NotificationsSubject,
  PolicySubject,
  SubjectExtras,
} from '@portico/core/testing';
import type { KnownData } from './known-data.ts';
import { type TestMembers, tokenVariables } from './members.ts';
import type { Skip } from './run-suite.ts';

/** Every property of the subjects that the suites read, besides the port. */
type Data = Omit<
  ClaimsSubject & ConsentSubject & DocumentsSubject & NotificationsSubject,
  'claims' | 'consent' | 'documents' | 'notifications'
> & { readonly own: EligibilitySubject['own'] & PolicySubject['own'] };

/** Creates a subject from the port of a service under its name. `writes` are the operations that change data. */
export type SubjectMaker = <Ports extends Readonly<Record<string, object>>>(
  ports: Ports,
  writes?: readonly string[],
) => Ports & Data & SubjectExtras;

export interface SubjectSettings {
  readonly service: string;
  readonly members: TestMembers;
  readonly known: KnownData;
  readonly mayWrite: boolean;
  /** Strings that no failure may contain. */
  readonly secrets: readonly string[];
}

export const noWrites = 'It changes data. Give --write if the service may be changed.';
const noFirstWrites =
  'It stores the first preferences of a member, which cannot be undone. Run the suite in code, with a new service for each test.';

/**
 * Creates subjects from what is known. A promise that reads a missing property, or writes without permission, is skipped.
 */
export const subjectMaker =
  ({ service, members, known, mayWrite, secrets }: SubjectSettings, skip: Skip): SubjectMaker =>
  (ports, writes = []) => {
    const { member, other: neverSet } = members;
    const { resource, unmatched, profile, coverage, accumulators } = known;
    const own = service === 'policy' ? profile : withMissing({ coverage, accumulators }, hints, skip);
    const guard = (who: unknown) => {
      if (!mayWrite) skip(noWrites);
      if (service === 'notifications' && who !== member) skip(noFirstWrites);
    };
    const guarded = Object.entries(ports).map(([name, port]) => [name, guardedPort(port, writes, guard)]);
    const data = {
      ...members,
      neverSet,
      claim: resource,
      document: resource,
      unmatched,
      own,
      fail: undefined,
      secrets,
    };
    return withMissing({ ...data, ...Object.fromEntries(guarded) }, hints, skip) as never;
  };

/** What to give for each property that may be missing. Nothing makes a running service fail on demand. */
export const hints: Readonly<Record<string, string | undefined>> = {
  other: `Set ${tokenVariables.other} to the token of another member.`,
  unknown: `Set ${tokenVariables.unknown} to the token of a member who does not exist in this service.`,
  neverSet: `Set ${tokenVariables.other} to the token of a member who never set preferences.`,
  claim: 'Give --resource, the locator of a claim of the first member.',
  document: 'Give --resource, the locator of a document of the first member.',
  unmatched: 'Give --unmatched, a list parameter that excludes the resource.',
  coverage: "Give --coverage, a part of the first member's coverage that the other member's does not have.",
  accumulators: "Give --accumulators, a part of the first member's accumulators that the other member's do not have.",
  own: "Give --profile, a part of the first member's profile that the other member's does not have.",
  fail: undefined,
};

/**
 * Replaces missing properties by getters that skip the promise. They are properties of the prototype, because the suite
 * reads all properties of the subject itself before each promise.
 */
export const withMissing = (
  data: Readonly<Record<string, unknown>>,
  hints: Readonly<Record<string, string | undefined>>,
  skip: Skip,
): object => {
  const given = Object.entries(data).filter(([, value]) => value !== undefined);
  const getters = Object.entries(hints)
    .filter(([name]) => data[name] === undefined)
    .map(([name, hint]) => [name, { get: () => skip(hint) }]);
  const missing = Object.create(null, Object.fromEntries(getters)) as object;
  return Object.assign(Object.create(missing) as object, Object.fromEntries(given));
};

const guardedPort = (port: object, writes: readonly string[], guard: (who: unknown) => void): object =>
  Object.fromEntries(
    Object.entries(port).map(([name, operation]) => [
      name,
      writes.includes(name)
        ? (...args: readonly unknown[]) => {
            guard(args[0]);
            return Reflect.apply(operation as () => unknown, port, args);
          }
        : operation,
    ]),
  );
