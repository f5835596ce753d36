import { err, ok, okAsync, type Result, type ResultAsync, safeTry } from 'neverthrow';
import type { IssuerRules } from '../identity/access-rules.ts';
import type { Identity, TokenRequest } from '../identity/identity.port.ts';
import { authenticate } from '../identity/identity.ts';
import type { Clock } from '../runtime/clock.port.ts';
import { settleWithin } from '../runtime/settle-within.ts';
import type { Signal } from '../runtime/signal.ts';
import { type Failure, preconditionFailed, upstream, type UpstreamReason } from '../shared/failure.ts';
import type { Member, PartyLocator } from '../shared/member.ts';
import { isObject, type Json } from '../shared/json/json.ts';
import { attempt, type JourneyStep, stepRunner } from './journey-steps.ts';
import type { Notifications } from './notifications.port.ts';
import { changed, preferenceNames, type Preferences, readPreferences, startingPreferences } from './preferences.ts';

/** What the journey has read so far. */
export interface JourneyFindings {
  readonly locator?: PartyLocator;
  /** The preferences before the journey; null when never set. */
  readonly before?: Preferences | null;
  /** The preferences read back after the update, even if they differ from what was written. */
  readonly after?: Preferences | null;
  readonly notifications?: readonly unknown[];
  readonly log?: readonly unknown[];
}

export interface JourneyReport extends JourneyFindings {
  /** All seven steps, in order. The journey ends at the first one that fails. */
  readonly steps: readonly JourneyStep[];
  /**
   * How the preferences were left:
   * - `untouched`: nothing was written.
   * - `restored`: written back, and verified to be the original values.
   * - `unsure`: verified to be the original values, but the update was interrupted or failed and may still be applied.
   * - `kept`: the update was left in place.
   * - `not-unset`: they were never set before, and written preferences cannot be unset.
   * - `not-restored`: they may differ from the original values.
   */
  readonly preferences: 'untouched' | 'restored' | 'unsure' | 'kept' | 'not-unset' | 'not-restored';
}

/** The member's token, or credentials to request one. */
export type JourneyAccess = { readonly token: string | undefined } | TokenRequest;

export const journeyDefaults = { settleMs: 400 } as const;

/** Defaults: `journeyDefaults`. */
export interface JourneyOptions {
  /** The change to make. Default: inverts `enrollmentReminders`. */
  readonly change?: Partial<Preferences>;
  /** Leave the update in place. */
  readonly keep?: boolean;
  /**
   * Also update a member who never set preferences, starting from `startingPreferences`. Without it the journey stops
   * before `put-preferences` for such a member, because preferences cannot be unset.
   */
  readonly writeFirstPreferences?: boolean;
  /** Run only the steps that read. `change`, `keep` and `writeFirstPreferences` then have no effect. */
  readonly readOnly?: boolean;
  /** How long to wait for an interrupted update before restoring the preferences, in milliseconds. */
  readonly settleMs?: number;
  /** Called when each step ends, with the findings so far. */
  readonly onStep?: (step: JourneyStep, found: JourneyFindings) => void;
  /** Ends the journey at once. The preferences are still restored. A running step counts as skipped. */
  readonly signal?: Signal;
}

/** Runs the preferences journey. Never rejects: failures are in the report. */
export type RunPreferencesJourney = (access: JourneyAccess, options?: JourneyOptions) => Promise<JourneyReport>;

export const runPreferencesJourney =
  (identity: Identity, notifications: Notifications, clock: Clock, rules?: IssuerRules): RunPreferencesJourney =>
  async (access, options = {}) => {
    const {
      change,
      keep = false,
      writeFirstPreferences = false,
      readOnly = false,
      settleMs = journeyDefaults.settleMs,
    } = options;
    const found: Mutable<JourneyFindings> = {};
    const { step, steps } = stepRunner(clock, (step) => options.onStep?.(step, found), options.signal);
    let restorePreferences = leaveAs('untouched');

    await safeTry<void, unknown>(async function* () {
      const member = yield* step('token', () =>
        tokenFor(identity, access).andThen((token) =>
          authenticate(identity, rules)(token, readOnly ? 'read' : ['read', 'write']),
        ),
      );
      found.locator = member.locator;
      const first = yield* step('get-preferences', () => versionIn(notifications.preferences(member)));
      const before = first?.preferences ?? null;
      found.before = before;
      yield* step('get-own-preferences', () => versionIn(notifications.ownPreferences(member)));
      if (!readOnly) {
        if (!before && !writeFirstPreferences) return ok(undefined);
        let written: string | undefined;
        const wanted = yield* step('put-preferences', () =>
          updateOf(before, change).asyncAndThen((wanted) => {
            const update = attempt(() => notifications.replacePreferences(member, wanted, first?.etag)).andTee(
              ({ etag }) => {
                written = etag;
              },
            );
            restorePreferences = async () => {
              const end = await endOf(clock, settleMs, update);
              if (end === 'refused') return 'untouched';
              // Also without entity tags, a change that was seen must stay.
              const isOther =
                found.after === null || (found.after !== undefined && hasOtherChange(found.after, before, wanted));
              const ifMatch = () =>
                written === undefined && (first?.etag !== undefined || isOther)
                  ? versionIn(notifications.preferences(member)).andThen(tagOfOneOf(before, wanted))
                  : okAsync(written);
              return restore(notifications, member, before, { isUpdateOver: end === 'over', ifMatch });
            };
            return update.map(() => wanted);
          }),
        );
        if (keep) restorePreferences = leaveAs('kept');
        const verified = yield* step('verify-preferences', () =>
          versionIn(notifications.preferences(member)).andThen((after) => {
            found.after = after?.preferences ?? null;
            return isSame(found.after, wanted) ? ok(after) : malformed;
          }),
        );
        written = verified?.etag ?? written;
      }
      found.notifications = yield* step('list-notifications', () =>
        notifications.list(member, []).andThen(arrayUnder('notifications')),
      );
      found.log = yield* step('read-log', () => notifications.log(member, []).andThen(arrayUnder('log')));
      return ok(undefined);
    });

    return { steps: steps(), ...found, preferences: await restorePreferences() };
  };

const leaveAs = (preferences: JourneyReport['preferences']) => async (): Promise<JourneyReport['preferences']> =>
  preferences;

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const tokenFor = (identity: Identity, access: JourneyAccess): ResultAsync<string | undefined, Failure> =>
  'grant' in access ? identity.requestToken(access).map(({ token }) => token) : okAsync(access.token);

const updateOf = (
  before: Preferences | null,
  change: Partial<Preferences> | undefined,
): Result<Preferences, Failure> => {
  if (change) return changed(before ?? startingPreferences, change);
  return ok(before ? { ...before, enrollmentReminders: !before.enrollmentReminders } : startingPreferences);
};

/**
 * - `over`: it can no longer be applied.
 * - `open`: it is still pending, or failed in a way that leaves this open.
 * - `refused`: the preferences were changed concurrently, so nothing was written.
 */
type UpdateEnd = 'over' | 'open' | 'refused';

/** Waits at most `waitMs` for the update to end. */
const endOf = (clock: Clock, waitMs: number, update: ResultAsync<Json, Failure>): Promise<UpdateEnd> =>
  settleWithin<UpdateEnd>(
    update.then((result) => result.match(() => 'over', failedUpdate)),
    { clock, timeoutMs: waitMs, onTimeout: () => 'open' },
  );

const failedUpdate = (failure: Failure): UpdateEnd => {
  if (failure.kind === 'precondition-failed') return 'refused';
  return mayStillBeApplied(failure) ? 'open' : 'over';
};

const mayStillBeApplied = (failure: Failure): boolean =>
  failure.kind === 'upstream' ? mayBeAppliedLater[failure.reason] : failure.kind === 'unexpected';

/** Whether an update that failed for this reason may still be applied. */
const mayBeAppliedLater = {
  // An error status may come from a gateway (502, 504) while the service is still working on the request.
  status: true,
  // The connection may have been lost after the request was sent.
  unreachable: true,
  timeout: true,
  // A response that reports success but cannot be used: the update was applied.
  malformed: false,
  'too-large': false,
  // Never sent.
  'circuit-open': false,
} as const satisfies Record<UpstreamReason, boolean>;

/**
 * Writes the original preferences and reads them back. The read decides the result, not the write: a
 * write that failed may have been applied. `ifMatch` returns the version to replace, if the service has entity tags. When
 * it fails, nothing is written.
 */
const restore = async (
  notifications: Notifications,
  member: Member,
  before: Preferences | null,
  { isUpdateOver, ifMatch }: { readonly isUpdateOver: boolean; readonly ifMatch: () => IfMatch },
): Promise<JourneyReport['preferences']> => {
  if (before) await attempt(() => ifMatch().andThen((tag) => notifications.replacePreferences(member, before, tag)));
  const now = await attempt(() => versionIn(notifications.preferences(member)));
  if (now.isErr() || !isSame(now.value?.preferences ?? null, before)) return before ? 'not-restored' : 'not-unset';
  if (!isUpdateOver) return 'unsure';
  return before ? 'restored' : 'untouched';
};

type IfMatch = ResultAsync<string | undefined, Failure>;

/** Other preferences than these were written by someone else. */
const tagOfOneOf =
  (...own: readonly (Preferences | null)[]) =>
  (now: Version | null): Result<string | undefined, Failure> =>
    own.some((preferences) => isSame(preferences, now?.preferences ?? null))
      ? ok(now?.etag)
      : err(preconditionFailed('notifications'));

/** Whether a preference is neither as before nor as wanted. One of these may be an update that the service applied in part. */
const hasOtherChange = (now: Preferences, before: Preferences | null, wanted: Preferences): boolean =>
  preferenceNames.some((name) => now[name] !== before?.[name] && now[name] !== wanted[name]);

const isSame = (one: Preferences | null, other: Preferences | null): boolean =>
  one && other ? preferenceNames.every((name) => one[name] === other[name]) : one === other;

const malformed = err(upstream('notifications', 'malformed'));

interface Version {
  readonly preferences: Preferences;
  readonly etag: string | undefined;
}

/** Reads the six preferences and their entity tag; null when they were never set. */
const versionIn = (response: ResultAsync<Json, Failure>): ResultAsync<Version | null, Failure> =>
  response
    .andThen(({ value, etag }): Result<Version | null, Failure> => {
      const preferences = readPreferences(value);
      return preferences ? ok({ preferences, etag }) : malformed;
    })
    .orElse((failure) => (failure.kind === 'not-found' ? ok(null) : err(failure)));

const arrayUnder =
  (key: string) =>
  ({ value }: Json): Result<readonly unknown[], Failure> => {
    const items = isObject(value) ? value[key] : undefined;
    return Array.isArray(items) ? ok(items as unknown[]) : malformed;
  };
