import { err, ok, okAsync, errAsync, type Result, ResultAsync, safeTry } from 'neverthrow';
import type { Identity, TokenRequest } from '../identity/identity.port.ts';
import { authenticate } from '../identity/identity.ts';
import type { Clock } from '../runtime/clock.port.ts';
import type { Signal } from '../runtime/signal.ts';
import { type Failure, upstream } from '../shared/failure.ts';
import type { Json } from '../shared/json.ts';
import type { Member, PartyLocator } from '../shared/member.ts';
import { isObject } from '../shared/request-body.ts';
import type { Notifications } from './notifications.port.ts';
import { preferenceNames, type Preferences, readPreferences, startingPreferences } from './preferences.ts';

/** The steps in their order (contract, section 4). */
export const journeySteps = [
  'token',
  'get-preferences',
  'get-own-preferences',
  'put-preferences',
  'verify-preferences',
  'list-notifications',
  'read-log',
] as const;

export interface JourneyStep {
  readonly name: (typeof journeySteps)[number];
  /** `never-set` is a normal outcome: this member has no preferences yet. */
  readonly outcome: 'ok' | 'never-set' | 'failed' | 'skipped';
  /** Whole milliseconds; 0 when skipped. */
  readonly elapsedMs: number;
  /** Why it failed. */
  readonly failure?: Failure;
}

/** What the journey learns on its way. */
export interface JourneyFindings {
  readonly locator?: PartyLocator;
  /** As found; null when never set. */
  readonly before?: Preferences | null;
  /** As read back after the update, also when it was not what had been written. */
  readonly after?: Preferences | null;
  readonly notifications?: readonly unknown[];
  readonly log?: readonly unknown[];
}

export interface JourneyReport extends JourneyFindings {
  /** All seven, in order. The first that failed ended the journey. */
  readonly steps: readonly JourneyStep[];
  /**
   * How the preferences were left: `untouched`, or `restored` and read back as they were found, or `kept` as they were written.
   * `not-unset`: they were never set, and what was written cannot be taken back. `not-restored`: they may be changed.
   */
  readonly preferences: 'untouched' | 'restored' | 'kept' | 'not-unset' | 'not-restored';
}

/** The member's own token, or the credentials to ask for one. */
export type JourneyAccess = { readonly token: string | undefined } | TokenRequest;

export interface JourneyOptions {
  /** What to update. Without it `enrollmentReminders` is turned over, so that there is something to verify. */
  readonly change?: Partial<Preferences>;
  /** Leave the update in place. */
  readonly keep?: boolean;
  /** Told of each step as it ends, and of what was found so far. */
  readonly onStep?: (step: JourneyStep, found: JourneyFindings) => void;
  /** Ends the journey at once; the preferences are still put back. A step that was under way counts as skipped. */
  readonly signal?: Signal;
}

/** Walks the preferences journey. Never fails: what went wrong stands in the report. */
export type RunPreferencesJourney = (access: JourneyAccess, options?: JourneyOptions) => Promise<JourneyReport>;

export const runPreferencesJourney =
  (identity: Identity, notifications: Notifications, clock: Clock, locatorClaim?: string): RunPreferencesJourney =>
  async (access, { change, keep = false, onStep, signal } = {}) => {
    const found: Mutable<JourneyFindings> = {};
    const { step, steps } = walk(clock, (step) => onStep?.(step, found), signal);
    let putBack: PutBack = leave('untouched');

    await safeTry<void, unknown>(async function* () {
      const member = yield* step('token', () =>
        tokenFor(identity, access).andThen(authenticate(identity, locatorClaim)),
      );
      found.locator = member.locator;
      const before = yield* step('get-preferences', () => preferencesIn(notifications.preferences(member)));
      found.before = before;
      yield* step('get-own-preferences', () => preferencesIn(notifications.ownPreferences(member)));
      const update = updateOf(before, change);
      yield* step('put-preferences', () => {
        putBack = () => restore(notifications, member, before);
        return notifications.replacePreferences(member, update);
      });
      if (keep) putBack = leave('kept');
      yield* step('verify-preferences', () =>
        preferencesIn(notifications.preferences(member)).andThen((after) => {
          found.after = after;
          return isSame(after, update) ? ok(after) : malformed;
        }),
      );
      found.notifications = yield* step('list-notifications', () =>
        notifications.list(member, []).andThen(arrayUnder('notifications')),
      );
      found.log = yield* step('read-log', () => notifications.log(member, []).andThen(arrayUnder('log')));
      return ok(undefined);
    });

    return { steps: steps(), ...found, preferences: await putBack() };
  };

type PutBack = () => Promise<JourneyReport['preferences']>;

const leave =
  (preferences: JourneyReport['preferences']): PutBack =>
  async () =>
    preferences;

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Runs steps one by one, takes down how each ended, and starts none after the signal. */
const walk = (clock: Clock, onStep: (step: JourneyStep) => void, signal: Signal | undefined) => {
  const ended: JourneyStep[] = [];
  const step = <T>(name: JourneyStep['name'], run: () => ResultAsync<T, Failure>): ResultAsync<T, unknown> => {
    if (signal?.aborted) return errAsync(stopped);
    const startedAt = clock.monotonic();
    const end = (outcome: JourneyStep['outcome'], failure?: Failure) => {
      const elapsedMs = Math.round(clock.monotonic() - startedAt);
      const step = { name, outcome, elapsedMs, ...(failure && { failure }) };
      ended.push(step);
      onStep(step);
    };
    return unlessAborted(signal, attempt(run))
      .andTee((value) => end(value === null ? 'never-set' : 'ok'))
      .orTee((failure) => {
        if (failure !== stopped) end('failed', failure);
      });
  };
  const steps = (): readonly JourneyStep[] =>
    journeySteps.map((name) => ended.find((step) => step.name === name) ?? { name, outcome: 'skipped', elapsedMs: 0 });
  return { step, steps };
};

const stopped = Symbol('stopped');

/** What still hangs when the signal comes is not waited for. */
const unlessAborted = <T>(
  signal: Signal | undefined,
  result: ResultAsync<T, Failure>,
): ResultAsync<T, Failure | typeof stopped> =>
  new ResultAsync(
    new Promise<Result<T, Failure | typeof stopped>>((resolve) => {
      const stop = () => resolve(err(stopped));
      signal?.addEventListener('abort', stop);
      if (signal?.aborted) stop();
      void result.then((settled) => {
        signal?.removeEventListener('abort', stop);
        resolve(settled);
      });
    }),
  );

/** An adapter that throws breaks its promise, but must not keep us from putting back what was changed. */
const attempt = <T>(run: () => ResultAsync<T, Failure>): ResultAsync<T, Failure> =>
  ResultAsync.fromThrowable(
    async () => run(),
    (cause): Failure => ({ kind: 'unexpected', cause }),
  )().andThen((result) => result);

const tokenFor = (identity: Identity, access: JourneyAccess): ResultAsync<string | undefined, Failure> =>
  'grant' in access ? identity.requestToken(access).map(({ token }) => token) : okAsync(access.token);

const updateOf = (before: Preferences | null, change: Partial<Preferences> | undefined): Preferences => {
  if (change) return { ...(before ?? startingPreferences), ...change };
  return before ? { ...before, enrollmentReminders: !before.enrollmentReminders } : startingPreferences;
};

/** By what is read back, and not by what the write answered: a write that seemed to fail may have been done. */
const restore = async (
  notifications: Notifications,
  member: Member,
  before: Preferences | null,
): Promise<JourneyReport['preferences']> => {
  if (before) await attempt(() => notifications.replacePreferences(member, before));
  const now = await attempt(() => preferencesIn(notifications.preferences(member)));
  if (now.isOk() && isSame(now.value, before)) return before ? 'restored' : 'untouched';
  return before ? 'not-restored' : 'not-unset';
};

const isSame = (one: Preferences | null, other: Preferences | null): boolean =>
  one && other ? preferenceNames.every((name) => one[name] === other[name]) : one === other;

const malformed = err(upstream('notifications', 'malformed'));

/** The six, or null when they were never set. */
const preferencesIn = (answer: ResultAsync<Json, Failure>): ResultAsync<Preferences | null, Failure> =>
  answer
    .andThen(({ value }): Result<Preferences | null, Failure> => {
      const preferences = readPreferences(value);
      return preferences ? ok(preferences) : malformed;
    })
    .orElse((failure) => (failure.kind === 'not-found' ? ok(null) : err(failure)));

const arrayUnder =
  (key: string) =>
  ({ value }: Json): Result<readonly unknown[], Failure> => {
    const items = isObject(value) ? value[key] : undefined;
    return Array.isArray(items) ? ok(items as unknown[]) : malformed;
  };
