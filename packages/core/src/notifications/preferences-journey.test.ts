import * as fc from 'fast-check';
import { err, errAsync, ok, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fakeIdentity } from '../identity/identity.fake.ts';
import type { IssuerRules } from '../identity/access-rules.ts';
import type { Identity, TokenClaims } from '../identity/identity.port.ts';
import { type FakeClock, fakeClock } from '../runtime/clock.fake.ts';
import { observedClient } from '../runtime/observed-client.test.support.ts';
import { CoreSignal } from '../runtime/signal.ts';
import {
  type Failure,
  notFound,
  preconditionFailed,
  refusedToken,
  unauthenticated,
  upstream,
  type UpstreamReason,
} from '../shared/failure.ts';
import { type Json, noContent, toJson } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { type JourneyStep, journeySteps } from './journey-steps.ts';
import { fakeNotifications, somePreferences as six } from './notifications.fake.ts';
import type { Notifications } from './notifications.port.ts';
import { preferenceNames, type Preferences, startingPreferences } from './preferences.ts';
import { type JourneyAccess, type JourneyOptions, runPreferencesJourney } from './preferences-journey.ts';

type Step = JourneyStep['name'];

const toggled: Preferences = { ...six, enrollmentReminders: false };
const notifications = [{ type: 'claim' }, { type: 'bill' }];
const log = [{ channel: 'email' }];

/** PTY-1 has set preferences, PTY-2 never has. */
const aService = () =>
  fakeNotifications({
    'PTY-1': { preferences: six, notifications, log },
    'PTY-2': { preferences: null, notifications: [], log: [] },
  });

const anIdentity = () =>
  fakeIdentity({
    'member-1': { password: 'right', claims: { sub: 'auth0|1', partyLocator: 'PTY-1' } },
    'member-2': { password: 'right', claims: { sub: 'auth0|2', partyLocator: 'PTY-2' } },
  });

const member = { grant: 'password', clientId: 'portico-cli', username: 'member-1', password: 'right' } as const;
const newcomer = { ...member, username: 'member-2' } as const;

interface Environment {
  readonly service?: Notifications;
  readonly identity?: Identity;
  readonly access?: JourneyAccess;
  readonly clock?: FakeClock;
  readonly rules?: IssuerRules;
}

const run = (
  { service = aService(), identity = anIdentity(), access = member, clock = fakeClock(), rules }: Environment,
  options?: JourneyOptions,
) => runPreferencesJourney(identity, service, clock, rules)(access, options);

/** Returns the stored preferences of a party, or the kind of failure. */
const storedPreferences = async (service: Notifications, locator = 'PTY-1') =>
  (await service.preferences(aMember(locator))).match(
    ({ value }) => value,
    ({ kind }) => kind,
  );

const outcomes = ({ steps }: { readonly steps: readonly JourneyStep[] }) => steps.map(({ outcome }) => outcome);
const failedSteps = ({ steps }: { readonly steps: readonly JourneyStep[] }) =>
  steps.filter(({ outcome }) => outcome === 'failed').map(({ name, failure }) => [name, failure]);
const allOk = journeySteps.map(() => 'ok');

type Operation = () => ResultAsync<Json, Failure>;

const down = upstream('notifications', 'unreachable');
const late = upstream('notifications', 'timeout');
const status = upstream('notifications', 'status');
const malformed = upstream('notifications', 'malformed');
const fails = (failure: Failure) => (): ResultAsync<never, Failure> => errAsync(failure);
const throwsError = () => {
  throw new Error('a bug');
};

/** Replaces one call of an operation; the first call is number 1. */
const onCall = <Args extends readonly unknown[], Return>(
  nth: number,
  operation: (...args: Args) => Return,
  replacement: (...args: NoInfer<Args>) => NoInfer<Return>,
) => {
  let calls = 0;
  return (...args: Args): Return => (++calls === nth ? replacement(...args) : operation(...args));
};

/** Applies the update but reports a timeout. */
const appliesButTimesOut =
  ({ replacePreferences }: Notifications): Notifications['replacePreferences'] =>
  (who, preferences) =>
    replacePreferences(who, preferences).andThen(fails(late));

/** An environment in which one step has this result, and all others work normally. */
const environmentWith = (step: Step, operation: Operation) => {
  const store = aService();
  const { preferences, replacePreferences } = store;
  const identity = anIdentity();
  const operations: { readonly [Name in Exclude<Step, 'token'>]: Partial<Notifications> } = {
    'get-preferences': { preferences: onCall(1, preferences, operation) },
    'get-own-preferences': { ownPreferences: operation },
    'put-preferences': { replacePreferences: onCall(1, replacePreferences, operation) },
    'verify-preferences': { preferences: onCall(2, preferences, operation) },
    'list-notifications': { list: operation },
    'read-log': { log: operation },
  };
  const verify: Identity['verify'] = () => operation().map(({ value }) => value as TokenClaims);
  return step === 'token'
    ? { store, service: store, identity: { ...identity, verify } }
    : { store, service: { ...store, ...operations[step] }, identity };
};

describe('the journey of a member who has set preferences', () => {
  it('changes the preferences, reads both lists, and restores the preferences', async () => {
    const service = aService();
    expect(await run({ service })).toEqual({
      steps: journeySteps.map((name) => ({ name, outcome: 'ok', elapsedMs: 0 })),
      locator: 'PTY-1',
      before: six,
      after: toggled,
      notifications,
      log,
      preferences: 'restored',
    });
    expect(await storedPreferences(service)).toEqual(six);
  });

  it('reports seven steps in order', async () => {
    const { steps } = await run({});
    expect(steps.map(({ name }) => name)).toEqual([
      'token',
      'get-preferences',
      'get-own-preferences',
      'put-preferences',
      'verify-preferences',
      'list-notifications',
      'read-log',
    ]);
  });

  it.each([true, false])('inverts only enrollmentReminders by default, from %s', async (was) => {
    const before = { ...six, enrollmentReminders: was };
    const service = fakeNotifications({ 'PTY-1': { preferences: before, notifications, log } });
    const report = await run({ service }, { keep: true });
    expect(report).toMatchObject({ before, after: { ...before, enrollmentReminders: !was } });
    expect(await storedPreferences(service)).toEqual({ ...before, enrollmentReminders: !was });
  });

  it('applies only the given change', async () => {
    const service = aService();
    const report = await run({ service }, { change: { sms: true, push: false } });
    expect(report).toMatchObject({ before: six, after: { ...six, sms: true, push: false }, preferences: 'restored' });
    expect(outcomes(report)).toEqual(allOk);
    expect(await storedPreferences(service)).toEqual(six);
  });

  it('keeps a preference whose change is undefined', async () => {
    const change: object = { email: undefined, sms: true };
    const report = await run({}, { change });
    expect(report).toMatchObject({ before: six, after: { ...six, sms: true }, preferences: 'restored' });
  });

  it('writes nothing for a change of an unknown preference', async () => {
    const service = aService();
    const report = await run({ service }, { change: { sms: true, fax: true } as Partial<Preferences> });
    expect(outcomes(report)).toEqual(['ok', 'ok', 'ok', 'failed', 'skipped', 'skipped', 'skipped']);
    expect(failedSteps(report)).toMatchObject([['put-preferences', { kind: 'invalid' }]]);
    expect(report.preferences).toBe('untouched');
    expect(await storedPreferences(service)).toEqual(six);
  });

  it('leaves the change in place with keep', async () => {
    const service = aService();
    const report = await run({ service }, { change: { sms: true }, keep: true });
    expect(report).toMatchObject({ before: six, after: { ...six, sms: true }, preferences: 'kept' });
    expect(await storedPreferences(service)).toEqual({ ...six, sms: true });
  });

  it('leaves the change in place with keep, even if a list fails afterwards', async () => {
    const { service, store } = environmentWith('list-notifications', fails(down));
    const report = await run({ service }, { keep: true });
    expect(outcomes(report)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'failed', 'skipped']);
    expect(report.preferences).toBe('kept');
    expect(await storedPreferences(store)).toEqual(toggled);
  });

  it('leaves the change in place with keep, even if it could not be read back', async () => {
    const { service, store } = environmentWith('verify-preferences', fails(late));
    const report = await run({ service }, { keep: true });
    expect(failedSteps(report)).toEqual([['verify-preferences', late]]);
    expect(report.preferences).toBe('kept');
    expect(report).not.toHaveProperty('after');
    expect(await storedPreferences(store)).toEqual(toggled);
  });

  it('reports the preferences read back when they differ from those written with keep', async () => {
    const after = { ...toggled, sms: true };
    const service = aService();
    const preferences = onCall(2, service.preferences, () => okAsync(toJson(after)));
    const report = await run({ service: { ...service, preferences } }, { keep: true });
    expect(failedSteps(report)).toEqual([['verify-preferences', malformed]]);
    expect(report).toMatchObject({ after, preferences: 'kept' });
  });

  it.each<[string, Operation]>([
    ['failed', fails(late)],
    ['made the adapter throw', throwsError],
  ])('reports unsure, not kept, when the update %s', async (_, operation) => {
    const { service, store } = environmentWith('put-preferences', operation);
    const report = await run({ service }, { keep: true });
    expect(outcomes(report)).toEqual(['ok', 'ok', 'ok', 'failed', 'skipped', 'skipped', 'skipped']);
    expect(report.preferences).toBe('unsure');
    expect(await storedPreferences(store)).toEqual(six);
  });

  it('restores the preferences with keep after an update that failed but was applied', async () => {
    const service = aService();
    const replacePreferences = onCall(1, service.replacePreferences, appliesButTimesOut(service));
    const report = await run({ service: { ...service, replacePreferences } }, { keep: true });
    expect(failedSteps(report)).toEqual([['put-preferences', late]]);
    expect(report.preferences).toBe('unsure');
    expect(await storedPreferences(service)).toEqual(six);
  });

  it('reports untouched with keep when it ended before the change', async () => {
    for (const step of ['token', 'get-preferences', 'get-own-preferences'] as const) {
      const { store: _, ...environment } = environmentWith(step, fails(down));
      expect(await run(environment, { keep: true })).toMatchObject({ preferences: 'untouched' });
    }
  });

  it('ignores other fields of a response', async () => {
    const service = aService();
    const { preferences } = service;
    const withMoreFields: Notifications['preferences'] = (who) =>
      preferences(who).map(({ value }) => toJson({ updatedAt: '2026-01-01', ...(value as Preferences) }));
    const report = await run({ service: { ...service, preferences: withMoreFields } });
    expect(report).toMatchObject({ before: six, after: toggled, preferences: 'restored' });
    expect(Object.keys(report.before ?? {})).toEqual(preferenceNames);
    expect(outcomes(report)).toEqual(allOk);
  });
});

describe('the journey of a member who never set preferences', () => {
  it.each<[string, JourneyOptions]>([
    ['by default', {}],
    ['with a change', { change: { email: true } }],
    ['with a change to keep', { change: { email: true }, keep: true }],
  ])('writes nothing %s: it stops before the update', async (_, options) => {
    const service = aService();
    const updates: string[] = [];
    const watched = beforeEachCall(service, (name) => void (name === 'replacePreferences' && updates.push(name)));
    expect(await run({ service: watched, access: newcomer }, options)).toEqual({
      steps: journeySteps.map((name, nth) => ({
        name,
        outcome: nth === 0 ? 'ok' : nth < 3 ? 'never-set' : 'skipped',
        elapsedMs: 0,
      })),
      locator: 'PTY-2',
      before: null,
      preferences: 'untouched',
    });
    expect([updates, await storedPreferences(service, 'PTY-2')]).toEqual([[], 'not-found']);
  });

  it('writes the starting preferences with writeFirstPreferences and reports not-unset', async () => {
    const service = aService();
    const report = await run({ service, access: newcomer }, { writeFirstPreferences: true });
    expect(report).toEqual({
      steps: journeySteps.map((name) => ({
        name,
        outcome: name === 'get-preferences' || name === 'get-own-preferences' ? 'never-set' : 'ok',
        elapsedMs: 0,
      })),
      locator: 'PTY-2',
      before: null,
      after: startingPreferences,
      notifications: [],
      log: [],
      preferences: 'not-unset',
    });
    expect(await storedPreferences(service, 'PTY-2')).toEqual(startingPreferences);
  });

  it('applies the change to the starting preferences with writeFirstPreferences', async () => {
    const service = aService();
    const report = await run(
      { service, access: newcomer },
      { writeFirstPreferences: true, change: { email: false, push: true } },
    );
    const after = { ...startingPreferences, email: false, push: true };
    expect(report).toMatchObject({ before: null, after, preferences: 'not-unset' });
    expect(await storedPreferences(service, 'PTY-2')).toEqual(after);
  });

  it('reports the first preferences as kept with keep', async () => {
    const service = aService();
    expect(await run({ service, access: newcomer }, { writeFirstPreferences: true, keep: true })).toMatchObject({
      preferences: 'kept',
    });
    expect(await storedPreferences(service, 'PTY-2')).toEqual(startingPreferences);
  });

  it.each([false, true])('reports unsure when the first update failed and was not applied; keep: %s', async (keep) => {
    const { service, store } = environmentWith('put-preferences', fails(late));
    const report = await run({ service, access: newcomer }, { writeFirstPreferences: true, keep });
    expect(outcomes(report)).toEqual(['ok', 'never-set', 'never-set', 'failed', 'skipped', 'skipped', 'skipped']);
    expect(report.preferences).toBe('unsure');
    expect(await storedPreferences(store, 'PTY-2')).toBe('not-found');
  });

  it('reports untouched when the first update was never sent', async () => {
    const { service } = environmentWith('put-preferences', fails(upstream('notifications', 'circuit-open')));
    const report = await run({ service, access: newcomer }, { writeFirstPreferences: true });
    expect(report.preferences).toBe('untouched');
  });

  it.each([false, true])('reports not-unset when the first update failed but was applied; keep: %s', async (keep) => {
    const service = aService();
    const environment = { service: { ...service, replacePreferences: appliesButTimesOut(service) }, access: newcomer };
    const report = await run(environment, { writeFirstPreferences: true, keep });
    expect(report.preferences).toBe('not-unset');
    expect(await storedPreferences(service, 'PTY-2')).toEqual(startingPreferences);
  });

  it('reports not-unset when the preferences cannot be read back after a failed update', async () => {
    const { service } = environmentWith('put-preferences', fails(late));
    const preferences = onCall(2, service.preferences, fails(late));
    const report = await run(
      { service: { ...service, preferences }, access: newcomer },
      { writeFirstPreferences: true },
    );
    expect(report.preferences).toBe('not-unset');
  });
});

describe('the member of a journey', () => {
  it('accepts a given token', async () => {
    const identity = anIdentity();
    const access = { token: identity.issue({ sub: 'PTY-1' }) };
    const report = await run({ identity: { ...identity, requestToken: fails(down) }, access });
    expect(report).toMatchObject({ locator: 'PTY-1', preferences: 'restored' });
    expect(outcomes(report)).toEqual(allOk);
  });

  it('accepts client credentials only if the rules accept programs', async () => {
    const access = { grant: 'client_credentials', clientId: 'PTY-1' } as const;
    const [refused] = (await run({ access })).steps;
    expect(refused).toMatchObject({ outcome: 'failed', failure: refusedToken('program') });
    const report = await run({ access, rules: { memberTokensOnly: false } });
    expect(report.locator).toBe('PTY-1');
    expect(outcomes(report)).toEqual(allOk);
  });

  it('reads the locator from the configured claim', async () => {
    const identity = anIdentity();
    const access = { token: identity.issue({ sub: 'auth0|1', partyLocator: 'PTY-2', party: 'PTY-1' }) };
    expect((await run({ identity, access, rules: { locatorClaim: 'party' } })).locator).toBe('PTY-1');
  });

  it.each<[boolean, string, string]>([
    [false, 'me:read me:write', 'me:write'],
    [true, 'me:read', 'me:read'],
  ])('needs the scopes of what it does: with readOnly %s they are %s', async (readOnly, scopes, last) => {
    const identity = anIdentity();
    const rules = { scopes: { read: 'me:read', write: 'me:write' } };
    const journey = (scope: string) =>
      run({ identity, rules, access: { token: identity.issue({ sub: 'PTY-1', scope }) } }, { readOnly });
    expect((await journey(scopes)).locator).toBe('PTY-1');
    for (const [granted, scope] of [
      ['openid', 'me:read'],
      ['me:write', 'me:read'],
      [scopes.replace(last, ''), last],
    ] as const)
      expect((await journey(granted)).steps[0]).toMatchObject({ failure: { kind: 'insufficient-scope', scope } });
  });

  it('makes every call with the locator and token of the member', async () => {
    const identity = anIdentity();
    const token = identity.issue({ sub: 'PTY-1' });
    const names = new Set<string>();
    const service = beforeEachCall(aService(), (_, [who]) => {
      const { locator, token } = who as ReturnType<typeof aMember>;
      names.add(`${locator} ${token}`);
    });
    await run({ identity, service, access: { token } });
    expect([...names]).toEqual([`PTY-1 ${token}`]);
  });

  it.each<[string, JourneyAccess, Failure]>([
    ['with a wrong password', { ...member, password: 'wrong' }, unauthenticated('invalid-grant')],
    ['with an unknown user name', { ...member, username: 'unknown' }, unauthenticated('invalid-grant')],
    ['with a forged token', { token: 'aaaa.bbbb.cccc' }, unauthenticated('invalid')],
    ['with a malformed token', { token: 'canary' }, refusedToken('malformed')],
    ['without a token', { token: undefined }, unauthenticated('missing')],
    [
      'as a client whose id is not a party locator',
      { grant: 'client_credentials', clientId: '..' },
      refusedToken('locator'),
    ],
  ])('fails at the first step %s', async (_, access, failure) => {
    const service = aService();
    const [token, ...rest] = journeySteps;
    expect(await run({ service, access, rules: { memberTokensOnly: false } })).toEqual({
      steps: [
        { name: token, outcome: 'failed', elapsedMs: 0, failure },
        ...rest.map((name) => ({ name, outcome: 'skipped', elapsedMs: 0 })),
      ],
      preferences: 'untouched',
    });
    expect(await storedPreferences(service)).toEqual(six);
  });
});

/** The duration of each call; the step `token` makes two. */
const callMs = {
  requestToken: 30,
  verify: 12,
  preferences: 5,
  ownPreferences: 7,
  replacePreferences: 11,
  list: 13,
  log: 17,
} as const;
const stepMs: { readonly [Name in Step]: number } = {
  token: 42,
  'get-preferences': 5,
  'get-own-preferences': 7,
  'put-preferences': 11,
  'verify-preferences': 5,
  'list-notifications': 13,
  'read-log': 17,
};

/** Calls `before` before every operation of a port. */
const beforeEachCall = <Port extends object>(
  port: Port,
  before: (name: string, args: readonly unknown[]) => void,
): Port =>
  Object.fromEntries(
    Object.entries(port).map(([name, operation]) => [
      name,
      (...args: unknown[]) => {
        before(name, args);
        return (operation as (...args: unknown[]) => unknown)(...args);
      },
    ]),
  ) as Port;

const withDelays = (
  clock: FakeClock,
  environment: { readonly service: Notifications; readonly identity: Identity },
) => {
  const delay = (name: string) => clock.advance(callMs[name as keyof typeof callMs]);
  return {
    clock,
    service: beforeEachCall(environment.service, delay),
    identity: beforeEachCall(environment.identity, delay),
  };
};

const failedAt = (failed: Step, failure: unknown): readonly object[] => {
  const at = journeySteps.indexOf(failed);
  return journeySteps.map((name, nth) => {
    if (nth > at) return { name, outcome: 'skipped', elapsedMs: 0 };
    return { name, elapsedMs: stepMs[name], ...(nth < at ? { outcome: 'ok' } : { outcome: 'failed', failure }) };
  });
};

/** The reported state of the preferences when the journey ends after this step. */
const stateAfter = (step: Step) => (journeySteps.indexOf(step) < 3 ? 'untouched' : 'restored');

/** The same when this step fails: a failed update may still be applied. */
const stateAfterFailed = (step: Step) => (step === 'put-preferences' ? 'unsure' : stateAfter(step));

describe.each(journeySteps)('a journey that fails at %s', (step) => {
  it('reports the step, skips the rest and restores the preferences', async () => {
    const { store, ...environment } = environmentWith(step, fails(down));
    const report = await run(withDelays(fakeClock(), environment));
    expect(report.steps).toEqual(failedAt(step, down));
    expect(report.preferences).toBe(stateAfterFailed(step));
    expect(await storedPreferences(store)).toEqual(six);
  });

  it('reports only the findings of the steps before', async () => {
    const { store: _, ...environment } = environmentWith(step, fails(down));
    const all = { locator: 'PTY-1', before: six, after: toggled, notifications, log };
    const foundAt: { readonly [Name in keyof typeof all]: Step } = {
      locator: 'token',
      before: 'get-preferences',
      after: 'verify-preferences',
      notifications: 'list-notifications',
      log: 'read-log',
    };
    const found = Object.entries(all).filter(
      ([name]) => journeySteps.indexOf(foundAt[name as keyof typeof all]) < journeySteps.indexOf(step),
    );
    const { steps: _steps, preferences: _left, ...findings } = await run(environment);
    expect(findings).toEqual(Object.fromEntries(found));
  });

  it.each<[string, (cause: Error) => Operation]>([
    [
      'throws',
      (cause) => () => {
        throw cause;
      },
    ],
    ['rejects', (cause) => () => new ResultAsync(Promise.reject(cause))],
  ])('restores the preferences when an adapter %s', async (_, failing) => {
    const cause = new Error('a bug');
    const { store, ...environment } = environmentWith(step, failing(cause));
    const report = await run(withDelays(fakeClock(), environment));
    expect(report.steps).toEqual(failedAt(step, { kind: 'unexpected', cause }));
    expect(report.preferences).toBe(stateAfterFailed(step));
    expect(await storedPreferences(store)).toEqual(six);
  });
});

describe('the update', () => {
  it('undoes an update that failed but was applied', async () => {
    const service = aService();
    const replacePreferences = onCall(1, service.replacePreferences, appliesButTimesOut(service));
    const report = await run({ service: { ...service, replacePreferences } });
    expect(failedSteps(report)).toEqual([['put-preferences', late]]);
    expect(report.preferences).toBe('unsure');
    expect(await storedPreferences(service)).toEqual(six);
  });

  it.each<[string, Failure, string]>([
    ['unsure after a timeout of the update', late, 'unsure'],
    ['unsure after the update lost its connection', down, 'unsure'],
    ['unsure after an error status, which a gateway may have sent', status, 'unsure'],
    ['unsure after the adapter has thrown', { kind: 'unexpected', cause: undefined }, 'unsure'],
    ['restored when the update response was malformed', malformed, 'restored'],
    ['restored when the update response was too large', upstream('notifications', 'too-large'), 'restored'],
    [
      'restored when the circuit was open, so that no update was sent',
      upstream('notifications', 'circuit-open'),
      'restored',
    ],
    [
      'restored when the service was overloaded, so that no update was sent',
      { kind: 'overloaded', retryAfterSeconds: 1 },
      'restored',
    ],
    ['restored when the service does not know the member', notFound('notifications'), 'restored'],
  ])('reports the preferences as %s', async (_, failure, preferences) => {
    const { service } = environmentWith('put-preferences', fails(failure));
    expect(await run({ service })).toMatchObject({ preferences });
  });

  it('fails the update when the service does not know the member', async () => {
    const { service } = environmentWith('put-preferences', fails(notFound('notifications')));
    expect(failedSteps(await run({ service }))).toEqual([['put-preferences', notFound('notifications')]]);
  });

  it('accepts an update response without content', async () => {
    const service = aService();
    const replacePreferences: Notifications['replacePreferences'] = (who, preferences) =>
      service.replacePreferences(who, preferences).map(() => noContent);
    expect(outcomes(await run({ service: { ...service, replacePreferences } }))).toEqual(allOk);
  });

  it.each(preferenceNames)(
    'fails the verification and undoes the update when a different %s is read back',
    async (name) => {
      const after = { ...toggled, [name]: !toggled[name] };
      const service = aService();
      const preferences = onCall(2, service.preferences, () => okAsync(toJson(after)));
      const report = await run({ service: { ...service, preferences } });
      expect(failedSteps(report)).toEqual([['verify-preferences', malformed]]);
      expect(report).toMatchObject({ before: six, after, preferences: 'restored' });
      expect(await storedPreferences(service)).toEqual(six);
    },
  );

  it('fails the verification when no preferences are found afterwards', async () => {
    const { service, store } = environmentWith('verify-preferences', fails(notFound('notifications')));
    const report = await run({ service });
    expect(failedSteps(report)).toEqual([['verify-preferences', malformed]]);
    expect(report).toMatchObject({ before: six, after: null, preferences: 'restored' });
    expect(await storedPreferences(store)).toEqual(six);
  });
});

describe('restoring the preferences', () => {
  it.each<[string, Operation]>([
    ['fails', fails(down)],
    ['makes the adapter throw', throwsError],
    ['is acknowledged but not applied', () => okAsync(toJson(six))],
  ])('reports not-restored when the write %s', async (_, operation) => {
    const service = aService();
    const replacePreferences = onCall(2, service.replacePreferences, operation);
    const report = await run({ service: { ...service, replacePreferences } });
    expect(outcomes(report)).toEqual(allOk);
    expect(report.preferences).toBe('not-restored');
    expect(await storedPreferences(service)).toEqual(toggled);
  });

  it.each<[string, Operation]>([
    ['fails', fails(late)],
    ['makes the adapter throw', throwsError],
    ['finds no preferences', fails(notFound('notifications'))],
    ['finds only five', () => okAsync(toJson({ ...six, email: undefined }))],
    ...preferenceNames.map((name): [string, Operation] => [
      `finds a different ${name}`,
      () => okAsync(toJson({ ...six, [name]: !six[name] })),
    ]),
  ])('reports not-restored when the verification %s', async (_, read) => {
    const service = aService();
    const report = await run({ service: { ...service, preferences: onCall(3, service.preferences, read) } });
    expect(outcomes(report)).toEqual(allOk);
    expect(report).toMatchObject({ after: toggled, preferences: 'not-restored' });
  });

  it('reports restored when the write fails but was applied', async () => {
    const service = aService();
    const replacePreferences = onCall(2, service.replacePreferences, appliesButTimesOut(service));
    expect(await run({ service: { ...service, replacePreferences } })).toMatchObject({ preferences: 'restored' });
    expect(await storedPreferences(service)).toEqual(six);
  });

  it('restores after all steps, outside their elapsed time', async () => {
    const clock = fakeClock();
    const calls: string[] = [];
    const { store: _, ...environment } = environmentWith('read-log', fails(down));
    const { service, identity } = withDelays(clock, environment);
    const report = await run({ clock, identity, service: beforeEachCall(service, (name) => void calls.push(name)) });
    expect(calls).toEqual([
      'preferences',
      'ownPreferences',
      'replacePreferences',
      'preferences',
      'list',
      'log',
      'replacePreferences',
      'preferences',
    ]);
    expect(report.steps.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0)).toBe(100);
    expect(clock.monotonic()).toBe(116);
  });
});

describe('a malformed response', () => {
  const wholes = [null, [], [six], 'canary', true, {}, { preferences: six }];
  const lacking = preferenceNames.map((name) => ({ ...six, [name]: undefined }));
  const wrong = [
    ...preferenceNames.map((name) => ({ ...six, [name]: 'true' })),
    ...[1, 0, null, [], {}].map((sms) => ({ ...six, sms })),
  ];
  const responses = [...wholes, ...lacking, ...wrong].map((value) => JSON.stringify(value));

  describe.each(['get-preferences', 'get-own-preferences', 'verify-preferences'] as const)('for %s', (step) => {
    it.each(responses)('fails the step: %s', async (text) => {
      const { service, store } = environmentWith(step, () => okAsync({ text, value: JSON.parse(text) as unknown }));
      const report = await run({ service });
      expect(failedSteps(report)).toEqual([[step, malformed]]);
      expect(report.preferences).toBe(stateAfter(step));
      expect(await storedPreferences(store)).toEqual(six);
    });

    it('fails the step when it has no content', async () => {
      const { service } = environmentWith(step, () => okAsync(noContent));
      expect(failedSteps(await run({ service }))).toEqual([[step, malformed]]);
    });
  });

  it.each([
    ['list-notifications', 'notifications'],
    ['read-log', 'log'],
  ] as const)('fails %s when it has no array under "%s"', async (step, key) => {
    const other = key === 'log' ? 'notifications' : 'log';
    for (const value of [undefined, null, [], 'canary', {}, { [other]: [] }, { [key]: null }, { [key]: { 0: 'x' } }]) {
      const { service, store } = environmentWith(step, () => okAsync({ text: '', value }));
      const report = await run({ service });
      expect(failedSteps(report)).toEqual([[step, malformed]]);
      expect(report).not.toHaveProperty(key);
      expect(report.preferences).toBe('restored');
      expect(await storedPreferences(store)).toEqual(six);
    }
  });
});

describe('the elapsed time of a step', () => {
  it('measures the calls of each step', async () => {
    const { steps } = await run(withDelays(fakeClock(), { service: aService(), identity: anIdentity() }));
    expect(Object.fromEntries(steps.map(({ name, elapsedMs }) => [name, elapsedMs]))).toEqual(stepMs);
  });

  it('reports whole milliseconds', async () => {
    const clock = fakeClock();
    const service = aService();
    const slow: Notifications = {
      ...service,
      list: (...args) => {
        clock.advance(2.5);
        return service.list(...args);
      },
      log: (...args) => {
        clock.advance(0.4);
        return service.log(...args);
      },
    };
    const { steps } = await run({ service: slow, clock });
    expect(steps.slice(-2).map(({ elapsedMs }) => elapsedMs)).toEqual([3, 0]);
  });
});

describe('onStep', () => {
  it('calls onStep when each step ends, before the next one starts', async () => {
    const events: string[] = [];
    const operation = (name: string) => void events.push(name);
    const environment = {
      service: beforeEachCall(aService(), operation),
      identity: beforeEachCall(anIdentity(), operation),
    };
    await run(environment, { keep: true, onStep: ({ name, outcome }) => events.push(`${name} ${outcome}`) });
    expect(events).toEqual([
      'requestToken',
      'verify',
      'token ok',
      'preferences',
      'get-preferences ok',
      'ownPreferences',
      'get-own-preferences ok',
      'replacePreferences',
      'put-preferences ok',
      'preferences',
      'verify-preferences ok',
      'list',
      'list-notifications ok',
      'log',
      'read-log ok',
    ]);
  });

  it.each(journeySteps)(
    'calls onStep with the reported steps, except skipped ones, when the journey fails at %s',
    async (step) => {
      const reported: JourneyStep[] = [];
      const { store: _, ...environment } = environmentWith(step, fails(down));
      const { steps } = await run(withDelays(fakeClock(), environment), { onStep: (ended) => reported.push(ended) });
      expect(reported).toEqual(steps.filter(({ outcome }) => outcome !== 'skipped'));
      expect(reported).toHaveLength(journeySteps.indexOf(step) + 1);
    },
  );

  it('calls onStep with the outcome never-set', async () => {
    const reported: JourneyStep[] = [];
    const { steps } = await run(
      { access: newcomer },
      { writeFirstPreferences: true, onStep: (ended) => reported.push(ended) },
    );
    expect(reported).toEqual(steps);
  });

  it('completes the journey when onStep throws', async () => {
    const service = aService();
    const report = await run({ service }, { onStep: throwsError });
    expect([outcomes(report), report.preferences]).toEqual([allOk, 'restored']);
    expect(await storedPreferences(service)).toEqual(six);
  });
});

describe('an aborted journey', () => {
  it.each(journeySteps)('ends after %s and restores the preferences', async (last) => {
    const service = aService();
    const signal = new CoreSignal();
    const report = await run({ service }, { signal, onStep: ({ name }) => name === last && signal.abort() });
    const at = journeySteps.indexOf(last);
    expect(outcomes(report)).toEqual(journeySteps.map((_, nth) => (nth <= at ? 'ok' : 'skipped')));
    expect(report.steps.map(({ name }) => name)).toEqual(journeySteps);
    expect(report.preferences).toBe(stateAfter(last));
    expect(await storedPreferences(service)).toEqual(six);
  });

  it('makes no calls when it is aborted before the start', async () => {
    const calls: string[] = [];
    const operation = (name: string) => void calls.push(name);
    const signal = new CoreSignal();
    signal.abort();
    const environment = {
      service: beforeEachCall(aService(), operation),
      identity: beforeEachCall(anIdentity(), operation),
    };
    expect(await run(environment, { signal })).toEqual({
      steps: journeySteps.map((name) => ({ name, outcome: 'skipped', elapsedMs: 0 })),
      preferences: 'untouched',
    });
    expect(calls).toEqual([]);
  });

  it('leaves the change in place with keep', async () => {
    const service = aService();
    const signal = new CoreSignal();
    const onStep = ({ name }: JourneyStep) => name === 'put-preferences' && signal.abort();
    expect(await run({ service }, { signal, onStep, keep: true })).toMatchObject({ preferences: 'kept' });
    expect(await storedPreferences(service)).toEqual(toggled);
  });

  it('ends when the client disconnects while a step waits', async () => {
    const client = observedClient();
    const clock = fakeClock();
    const list: Notifications['list'] = () => {
      void Promise.resolve().then(client.disconnect);
      return new ResultAsync(new Promise(() => {}));
    };
    const report = await run({ service: { ...aService(), list }, clock }, { signal: client.signal });
    expect([report.preferences, clock.scheduled]).toEqual(['restored', 0]);
  });

  it('leaves no listener and no task behind when it ends', async () => {
    const client = observedClient();
    const clock = fakeClock();
    await run({ clock }, { signal: client.signal });
    expect([client.listeners, clock.scheduled]).toEqual([0, 0]);
  });

  it('does not wait for a step that hangs, and restores the preferences', async () => {
    const service = aService();
    const signal = new CoreSignal();
    const list: Notifications['list'] = () => {
      signal.abort();
      return new ResultAsync(new Promise(() => {}));
    };
    const report = await run({ service: { ...service, list } }, { signal });
    expect(outcomes(report)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'skipped', 'skipped']);
    expect(report.preferences).toBe('restored');
  });
});

/** A response of a service without entity tags. */
const untagged = ({ text, value }: Json): Json => ({ text, value });

describe('a concurrent change of the preferences', () => {
  const concurrent: Preferences = { ...six, sms: true };

  it('fails the update, without overwriting, after a concurrent change before it', async () => {
    const service = aService();
    const ownPreferences: Notifications['ownPreferences'] = (who) =>
      service.replacePreferences(who, concurrent).andThen(() => service.ownPreferences(who));
    const report = await run({ service: { ...service, ownPreferences } });
    expect(failedSteps(report)).toEqual([['put-preferences', preconditionFailed('notifications')]]);
    expect(report.preferences).toBe('untouched');
    expect(await storedPreferences(service)).toEqual(concurrent);
  });

  it('does not overwrite a concurrent change when the interrupted update is rejected', async () => {
    const service = aService();
    const signal = new CoreSignal();
    const replacePreferences: Notifications['replacePreferences'] = (who) => {
      signal.abort();
      return service.replacePreferences(who, concurrent).andThen(fails(preconditionFailed('notifications')));
    };
    const report = await run({ service: { ...service, replacePreferences } }, { signal });
    expect([report.preferences, report.steps[3]?.outcome]).toEqual(['untouched', 'skipped']);
    expect(await storedPreferences(service)).toEqual(concurrent);
  });

  it('does not overwrite a concurrent change when it restores the preferences', async () => {
    const service = aService();
    const list: Notifications['list'] = (who, query) =>
      service.replacePreferences(who, concurrent).andThen(() => service.list(who, query));
    const report = await run({ service: { ...service, list } });
    expect(outcomes(report)).toEqual(allOk);
    expect(report.preferences).toBe('not-restored');
    expect(await storedPreferences(service)).toEqual(concurrent);
  });

  it('does not overwrite a concurrent change between the update and its verification', async () => {
    const service = aService();
    const preferences = onCall(2, service.preferences, (who) =>
      service.replacePreferences(who, concurrent).andThen(() => service.preferences(who)),
    );
    const report = await run({ service: { ...service, preferences } });
    expect(failedSteps(report)).toEqual([['verify-preferences', malformed]]);
    expect(report.preferences).toBe('not-restored');
    expect(await storedPreferences(service)).toEqual(concurrent);
  });

  it('does not overwrite a change that its verification has seen, also without entity tags', async () => {
    const service = aService();
    const preferences: Notifications['preferences'] = (who) => service.preferences(who).map(untagged);
    const replacePreferences = onCall(1, service.replacePreferences, (...[who, update]) =>
      service
        .replacePreferences(who, update)
        .andThen(() => service.replacePreferences(who, concurrent))
        .map(untagged),
    );
    const report = await run({ service: { ...service, preferences, replacePreferences } });
    expect(failedSteps(report)).toEqual([['verify-preferences', malformed]]);
    expect(report.preferences).toBe('not-restored');
    expect(await storedPreferences(service)).toEqual(concurrent);
  });

  it('does not write preferences again that its verification has found deleted, also without entity tags', async () => {
    const service = aService();
    let writes = 0;
    const missing = fails(notFound('notifications'));
    const preferences = onCall(2, onCall(2, service.preferences, missing), missing);
    const replacePreferences: Notifications['replacePreferences'] = (...args) => {
      writes++;
      return service.replacePreferences(...args).map(untagged);
    };
    const untaggedPreferences: Notifications['preferences'] = (who) => preferences(who).map(untagged);
    const report = await run({ service: { ...service, preferences: untaggedPreferences, replacePreferences } });
    expect([report.preferences, writes]).toEqual(['not-restored', 1]);
  });

  it('restores the preferences after an update that was applied in part, also without entity tags', async () => {
    const service = aService();
    const preferences: Notifications['preferences'] = (who) => service.preferences(who).map(untagged);
    const replacePreferences = onCall(1, service.replacePreferences, (...[who, update]) =>
      service.replacePreferences(who, { ...update, push: six.push }).map(untagged),
    );
    const options = { change: { email: !six.email, push: !six.push } };
    const report = await run({ service: { ...service, preferences, replacePreferences } }, options);
    expect(failedSteps(report)).toEqual([['verify-preferences', malformed]]);
    expect([report.preferences, await storedPreferences(service)]).toEqual(['restored', six]);
  });

  it('does not overwrite a concurrent change after an update that was interrupted before its verification', async () => {
    const service = aService();
    const signal = new CoreSignal();
    const onStep = ({ name }: JourneyStep) => {
      if (name !== 'put-preferences') return;
      void service.replacePreferences(aMember('PTY-1'), concurrent);
      signal.abort();
    };
    expect(await run({ service }, { signal, onStep })).toMatchObject({ preferences: 'not-restored' });
    expect(await storedPreferences(service)).toEqual(concurrent);
  });

  it('restores the version of the update when it could not be read back', async () => {
    const service = aService();
    const replacePreferences: Notifications['replacePreferences'] = (...args) =>
      service
        .replacePreferences(...args)
        .andThen((json) => service.preferences(args[0]).map(({ etag }) => ({ ...json, etag: etag! })));
    const preferences = onCall(2, service.preferences, (who) =>
      service.replacePreferences(who, toggled).andThen(fails(late)),
    );
    const report = await run({ service: { ...service, preferences, replacePreferences } });
    expect(failedSteps(report)).toEqual([['verify-preferences', late]]);
    expect(report.preferences).toBe('not-restored');
    expect(await storedPreferences(service)).toEqual(toggled);
  });
});

describe('a read-only journey', () => {
  it.each([
    ['has set preferences', member, 'PTY-1', six],
    ['never set preferences', newcomer, 'PTY-2', 'not-found'],
  ] as const)('skips the update and its verification for a member who %s', async (_, access, locator, store) => {
    const calls: string[] = [];
    const service = aService();
    const watched = beforeEachCall(service, (name) => void calls.push(name));
    const options = { readOnly: true, keep: true, writeFirstPreferences: true, change: { sms: true } };
    const report = await run({ service: watched, access }, options);
    expect(report).toMatchObject({ locator, before: store === six ? six : null, preferences: 'untouched' });
    expect(report).not.toHaveProperty('after');
    expect(report.notifications).toBeDefined();
    expect(report.log).toBeDefined();
    expect(outcomes(report).slice(3)).toEqual(['skipped', 'skipped', 'ok', 'ok']);
    expect(calls).toEqual(['preferences', 'ownPreferences', 'list', 'log']);
    expect(await storedPreferences(service, locator)).toEqual(store);
  });
});

/** The course of one update: when the service applies it, and when and how the call ends. Undefined: never. */
interface Update {
  readonly appliedAfterMs?: number | undefined;
  readonly endsAfterMs?: number | undefined;
  readonly failure?: Failure;
}

const delays = fc.nat(20).map((steps) => steps * 50);
const optionalDelay = fc.option(delays, { nil: undefined });
const upstreamFailure = (...reasons: readonly UpstreamReason[]) =>
  fc.constantFrom(...reasons).map((reason) => upstream('notifications', reason));

/** Every course of an update that the port allows. */
const updates: fc.Arbitrary<Update> = fc.oneof(
  // A response that reports success, readable or not: the service has applied it.
  fc
    .tuple(delays, delays, fc.option(upstreamFailure('malformed', 'too-large'), { nil: undefined }))
    .map(([applied, later, failure]) => ({
      appliedAfterMs: applied,
      endsAfterMs: applied + later,
      ...(failure && { failure }),
    })),
  // Never sent, or rejected by the service.
  fc.record({
    endsAfterMs: delays,
    failure: fc.oneof(
      upstreamFailure('circuit-open'),
      fc.constant<Failure>({ kind: 'overloaded', retryAfterSeconds: 1 }),
      fc.constant(notFound('notifications')),
    ),
  }),
  // Unknown: it may be applied at any time, or never.
  fc.record({
    appliedAfterMs: optionalDelay,
    endsAfterMs: delays,
    failure: fc.oneof(
      upstreamFailure('timeout', 'unreachable', 'status'),
      fc.constant<Failure>({ kind: 'unexpected', cause: undefined }),
    ),
  }),
  // It never ends.
  fc.record({ appliedAfterMs: optionalDelay }),
);

/** A service whose updates and reads take time on this clock. */
const slowService = (clock: FakeClock, first: Update, restoring: Update, readAfterMs: number): Notifications => {
  const service = aService();
  const after = (ms: number | undefined, task: () => void) => {
    if (ms === 0) task();
    else if (ms !== undefined) clock.after(ms, task);
  };
  const queue = [first, restoring];
  const slow =
    <Args extends readonly unknown[]>(read: (...args: Args) => ResultAsync<Json, Failure>) =>
    (...args: Args) =>
      new ResultAsync<Json, Failure>(new Promise((resolve) => after(readAfterMs, () => resolve(read(...args)))));
  return {
    preferences: slow(service.preferences),
    ownPreferences: slow(service.ownPreferences),
    list: slow(service.list),
    log: slow(service.log),
    replacePreferences: (who, preferences) => {
      const { appliedAfterMs, endsAfterMs, failure } = queue.shift() ?? {};
      after(appliedAfterMs, () => void service.replacePreferences(who, preferences));
      return new ResultAsync<Json, Failure>(
        new Promise((resolve) => after(endsAfterMs, () => resolve(failure ? err(failure) : ok(toJson(preferences))))),
      );
    },
  };
};

/** Advances the clock until the promise settles. */
const runToEnd = async <T>(clock: FakeClock, promise: Promise<T>): Promise<T> => {
  const state = { isOver: false };
  const ended = promise.finally(() => {
    state.isOver = true;
  });
  while (!state.isOver) {
    for (let turn = 0; turn < 200; turn++) await Promise.resolve();
    if (!state.isOver) clock.advance(50);
  }
  return ended;
};

/** A journey that is aborted 50 ms after its update was sent, and when it ended. */
const interrupted = async (update: Update, options?: JourneyOptions) => {
  const clock = fakeClock();
  const service = slowService(clock, update, { appliedAfterMs: 0, endsAfterMs: 0 }, 0);
  const signal = new CoreSignal();
  clock.after(50, () => signal.abort());
  const report = await runToEnd(clock, run({ service, clock }, { signal, ...options }));
  return { report, endedAt: clock.monotonic() };
};

describe('the reported state of the preferences', () => {
  it('reports a state that is true after every update has been applied, for any course of the updates and any time of abort', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          access: fc.constantFrom(member, newcomer),
          first: updates,
          restoring: updates.filter(({ endsAfterMs }) => endsAfterMs !== undefined),
          readAfterMs: delays,
          abortAfterMs: optionalDelay.map((ms) => ms && ms * 4),
          keep: fc.boolean(),
        }),
        async ({ access, first, restoring, readAfterMs, abortAfterMs, keep }) => {
          fc.pre(first.endsAfterMs !== undefined || abortAfterMs !== undefined);
          const clock = fakeClock();
          const service = slowService(clock, first, restoring, readAfterMs);
          const signal = new CoreSignal();
          if (abortAfterMs !== undefined) clock.after(abortAfterMs, () => signal.abort());
          const journey = run({ service, access, clock }, { signal, keep, writeFirstPreferences: true });
          const { preferences, before } = await runToEnd(clock, journey);
          clock.advance(10_000);
          const left = await runToEnd(clock, storedPreferences(service, access === member ? 'PTY-1' : 'PTY-2'));
          if (preferences === 'restored') expect(left).toEqual(before);
          if (preferences === 'untouched') expect(left).toEqual(access === member ? six : 'not-found');
          if (preferences === 'kept') expect(left).toEqual(access === member ? toggled : startingPreferences);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('reports "restored" after an interrupted update only once that update has ended', async () => {
    const { report, endedAt } = await interrupted({ appliedAfterMs: 200, endsAfterMs: 300 });
    expect([report.preferences, report.steps[3]?.outcome, endedAt]).toEqual(['restored', 'skipped', 300]);
  });

  it('reports "unsure" when an interrupted update has not ended within 400 ms', async () => {
    const { report, endedAt } = await interrupted({ appliedAfterMs: 500, endsAfterMs: 600 });
    expect([report.preferences, endedAt]).toEqual(['unsure', 450]);
  });

  it('waits up to settleMs for an interrupted update', async () => {
    const update = { appliedAfterMs: 500, endsAfterMs: 600 };
    expect((await interrupted(update, { settleMs: 600 })).report.preferences).toBe('restored');
    expect((await interrupted(update, { settleMs: 500 })).report.preferences).toBe('unsure');
  });
});
