import * as fc from 'fast-check';
import { err, errAsync, ok, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fakeIdentity } from '../identity/identity.fake.ts';
import type { Identity, TokenClaims } from '../identity/identity.port.ts';
import { type FakeClock, fakeClock } from '../runtime/clock.fake.ts';
import { createSignal } from '../runtime/signal.ts';
import {
  type Failure,
  notFound,
  preconditionFailed,
  unauthenticated,
  upstream,
  type UpstreamReason,
} from '../shared/failure.ts';
import { type Json, noContent, toJson } from '../shared/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { type JourneyStep, journeySteps } from './journey-steps.ts';
import { fakeNotifications, somePreferences as six } from './notifications.fake.ts';
import type { Notifications } from './notifications.port.ts';
import { preferenceNames, type Preferences, startingPreferences } from './preferences.ts';
import { type JourneyAccess, type JourneyOptions, runPreferencesJourney } from './preferences-journey.ts';

type Step = JourneyStep['name'];

const turnedOver: Preferences = { ...six, enrollmentReminders: false };
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

interface World {
  readonly service?: Notifications;
  readonly identity?: Identity;
  readonly access?: JourneyAccess;
  readonly clock?: FakeClock;
  readonly locatorClaim?: string;
}

const run = (
  { service = aService(), identity = anIdentity(), access = member, clock = fakeClock(), locatorClaim }: World,
  options?: JourneyOptions,
) => runPreferencesJourney(identity, service, clock, locatorClaim)(access, options);

/** What the service holds for a party. */
const heldFor = async (service: Notifications, locator = 'PTY-1') =>
  (await service.preferences(aMember(locator))).match(
    ({ value }) => value,
    ({ kind }) => kind,
  );

const outcomes = ({ steps }: { readonly steps: readonly JourneyStep[] }) => steps.map(({ outcome }) => outcome);
const lastWords = ({ steps }: { readonly steps: readonly JourneyStep[] }) =>
  steps.filter(({ outcome }) => outcome === 'failed').map(({ name, failure }) => [name, failure]);
const allOk = journeySteps.map(() => 'ok');

type Answer = () => ResultAsync<Json, Failure>;

const down = upstream('notifications', 'unreachable');
const late = upstream('notifications', 'timeout');
const status = upstream('notifications', 'status');
const malformed = upstream('notifications', 'malformed');
const fails = (failure: Failure) => (): ResultAsync<never, Failure> => errAsync(failure);
const breaks = () => {
  throw new Error('a bug');
};

/** Answers as usual, but to the nth question in another way; the first is 1. */
const onCall = <Asked extends readonly unknown[], Given>(
  nth: number,
  usual: (...asked: Asked) => Given,
  instead: (...asked: NoInfer<Asked>) => NoInfer<Given>,
) => {
  let calls = 0;
  return (...asked: Asked): Given => (++calls === nth ? instead(...asked) : usual(...asked));
};

/** Takes the update, and says that it did not. */
const denying =
  ({ replacePreferences }: Notifications): Notifications['replacePreferences'] =>
  (who, preferences) =>
    replacePreferences(who, preferences).andThen(fails(late));

/** A world that gives this answer at one single step, and its usual ones at all others. */
const answeringAt = (step: Step, answer: Answer) => {
  const held = aService();
  const { preferences, replacePreferences } = held;
  const identity = anIdentity();
  const answers: { readonly [Name in Exclude<Step, 'token'>]: Partial<Notifications> } = {
    'get-preferences': { preferences: onCall(1, preferences, answer) },
    'get-own-preferences': { ownPreferences: answer },
    'put-preferences': { replacePreferences: onCall(1, replacePreferences, answer) },
    'verify-preferences': { preferences: onCall(2, preferences, answer) },
    'list-notifications': { list: answer },
    'read-log': { log: answer },
  };
  const verify: Identity['verify'] = () => answer().map(({ value }) => value as TokenClaims);
  return step === 'token'
    ? { held, service: held, identity: { ...identity, verify } }
    : { held, service: { ...held, ...answers[step] }, identity };
};

describe('the preferences journey of a member who has set preferences', () => {
  it('changes them, reads both lists, and leaves everything as it was', async () => {
    const service = aService();
    expect(await run({ service })).toEqual({
      steps: journeySteps.map((name) => ({ name, outcome: 'ok', elapsedMs: 0 })),
      locator: 'PTY-1',
      before: six,
      after: turnedOver,
      notifications,
      log,
      preferences: 'restored',
    });
    expect(await heldFor(service)).toEqual(six);
  });

  it('goes through its seven steps in their order', async () => {
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

  it.each([true, false])('turns over the enrollment reminders and nothing else when they were %s', async (was) => {
    const before = { ...six, enrollmentReminders: was };
    const service = fakeNotifications({ 'PTY-1': { preferences: before, notifications, log } });
    const report = await run({ service }, { keep: true });
    expect(report).toMatchObject({ before, after: { ...before, enrollmentReminders: !was } });
    expect(await heldFor(service)).toEqual({ ...before, enrollmentReminders: !was });
  });

  it('changes what it is told to and nothing else', async () => {
    const service = aService();
    const report = await run({ service }, { change: { sms: true, push: false } });
    expect(report).toMatchObject({ before: six, after: { ...six, sms: true, push: false }, preferences: 'restored' });
    expect(outcomes(report)).toEqual(allOk);
    expect(await heldFor(service)).toEqual(six);
  });

  it('leaves the change in place when asked to keep it', async () => {
    const service = aService();
    const report = await run({ service }, { change: { sms: true }, keep: true });
    expect(report).toMatchObject({ before: six, after: { ...six, sms: true }, preferences: 'kept' });
    expect(await heldFor(service)).toEqual({ ...six, sms: true });
  });

  it('leaves the change in place when asked to, also when a list fails afterwards', async () => {
    const { service, held } = answeringAt('list-notifications', fails(down));
    const report = await run({ service }, { keep: true });
    expect(outcomes(report)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'failed', 'skipped']);
    expect(report.preferences).toBe('kept');
    expect(await heldFor(held)).toEqual(turnedOver);
  });

  it('leaves the change in place when asked to, also when it could not be read back', async () => {
    const { service, held } = answeringAt('verify-preferences', fails(late));
    const report = await run({ service }, { keep: true });
    expect(lastWords(report)).toEqual([['verify-preferences', late]]);
    expect(report.preferences).toBe('kept');
    expect(report).not.toHaveProperty('after');
    expect(await heldFor(held)).toEqual(turnedOver);
  });

  it('shows what was read back when it is not what it was asked to keep', async () => {
    const after = { ...turnedOver, sms: true };
    const service = aService();
    const preferences = onCall(2, service.preferences, () => okAsync(toJson(after)));
    const report = await run({ service: { ...service, preferences } }, { keep: true });
    expect(lastWords(report)).toEqual([['verify-preferences', malformed]]);
    expect(report).toMatchObject({ after, preferences: 'kept' });
  });

  it.each<[string, Answer]>([
    ['failed', fails(late)],
    ['broke the adapter', breaks],
  ])('does not claim to have kept a change that was never made, because it %s', async (_, answer) => {
    const { service, held } = answeringAt('put-preferences', answer);
    const report = await run({ service }, { keep: true });
    expect(outcomes(report)).toEqual(['ok', 'ok', 'ok', 'failed', 'skipped', 'skipped', 'skipped']);
    expect(report.preferences).toBe('unsure');
    expect(await heldFor(held)).toEqual(six);
  });

  it('restores the preferences after an update that failed but was applied, also with keep', async () => {
    const service = aService();
    const replacePreferences = onCall(1, service.replacePreferences, denying(service));
    const report = await run({ service: { ...service, replacePreferences } }, { keep: true });
    expect(lastWords(report)).toEqual([['put-preferences', late]]);
    expect(report.preferences).toBe('unsure');
    expect(await heldFor(service)).toEqual(six);
  });

  it('has nothing to keep when it ended before the change', async () => {
    for (const step of ['token', 'get-preferences', 'get-own-preferences'] as const) {
      const { held: _, ...world } = answeringAt(step, fails(down));
      expect(await run(world, { keep: true })).toMatchObject({ preferences: 'untouched' });
    }
  });

  it('takes the six out of an answer that says more', async () => {
    const service = aService();
    const { preferences } = service;
    const talkative: Notifications['preferences'] = (who) =>
      preferences(who).map(({ value }) => toJson({ updatedAt: '2026-01-01', ...(value as Preferences) }));
    const report = await run({ service: { ...service, preferences: talkative } });
    expect(report).toMatchObject({ before: six, after: turnedOver, preferences: 'restored' });
    expect(Object.keys(report.before ?? {})).toEqual(preferenceNames);
    expect(outcomes(report)).toEqual(allOk);
  });
});

describe('the preferences journey of a member who never set preferences', () => {
  it.each<[string, JourneyOptions]>([
    ['by default', {}],
    ['with a change', { change: { email: true } }],
    ['with a change to keep', { change: { email: true }, keep: true }],
  ])('writes nothing %s: it stops before the update', async (_, options) => {
    const service = aService();
    const updates: string[] = [];
    const watched = each(service, (name) => void (name === 'replacePreferences' && updates.push(name)));
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
    expect([updates, await heldFor(service, 'PTY-2')]).toEqual([[], 'not-found']);
  });

  it('with writeFirstPreferences writes the starting preferences and reports that it could not unset them', async () => {
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
    expect(await heldFor(service, 'PTY-2')).toEqual(startingPreferences);
  });

  it('with writeFirstPreferences writes the starting preferences with the change', async () => {
    const service = aService();
    const report = await run(
      { service, access: newcomer },
      { writeFirstPreferences: true, change: { email: false, push: true } },
    );
    const after = { ...startingPreferences, email: false, push: true };
    expect(report).toMatchObject({ before: null, after, preferences: 'not-unset' });
    expect(await heldFor(service, 'PTY-2')).toEqual(after);
  });

  it('reports the first preferences as kept when asked to keep them', async () => {
    const service = aService();
    expect(await run({ service, access: newcomer }, { writeFirstPreferences: true, keep: true })).toMatchObject({
      preferences: 'kept',
    });
    expect(await heldFor(service, 'PTY-2')).toEqual(startingPreferences);
  });

  it.each([false, true])('is unsure when the first update failed and was not applied; keep: %s', async (keep) => {
    const { service, held } = answeringAt('put-preferences', fails(late));
    const report = await run({ service, access: newcomer }, { writeFirstPreferences: true, keep });
    expect(outcomes(report)).toEqual(['ok', 'never-set', 'never-set', 'failed', 'skipped', 'skipped', 'skipped']);
    expect(report.preferences).toBe('unsure');
    expect(await heldFor(held, 'PTY-2')).toBe('not-found');
  });

  it.each([false, true])('could not unset an update that failed but was applied; keep: %s', async (keep) => {
    const service = aService();
    const world = { service: { ...service, replacePreferences: denying(service) }, access: newcomer };
    const report = await run(world, { writeFirstPreferences: true, keep });
    expect(report.preferences).toBe('not-unset');
    expect(await heldFor(service, 'PTY-2')).toEqual(startingPreferences);
  });

  it('does not claim that nothing was written when the preferences cannot be read back', async () => {
    const { service } = answeringAt('put-preferences', fails(late));
    const preferences = onCall(2, service.preferences, fails(late));
    const report = await run(
      { service: { ...service, preferences }, access: newcomer },
      { writeFirstPreferences: true },
    );
    expect(report.preferences).toBe('not-unset');
  });
});

describe('who walks the journey', () => {
  it('may bring a token of their own', async () => {
    const identity = anIdentity();
    const access = { token: identity.issue({ sub: 'PTY-1' }) };
    const report = await run({ identity: { ...identity, requestToken: fails(down) }, access });
    expect(report).toMatchObject({ locator: 'PTY-1', preferences: 'restored' });
    expect(outcomes(report)).toEqual(allOk);
  });

  it('may be a client that signs in for itself', async () => {
    const report = await run({ access: { grant: 'client_credentials', clientId: 'PTY-1' } });
    expect(report.locator).toBe('PTY-1');
    expect(outcomes(report)).toEqual(allOk);
  });

  it('is named by the claim that is configured', async () => {
    const identity = anIdentity();
    const access = { token: identity.issue({ sub: 'auth0|1', partyLocator: 'PTY-2', party: 'PTY-1' }) };
    expect((await run({ identity, access, locatorClaim: 'party' })).locator).toBe('PTY-1');
  });

  it('is who every question is asked for, with their own token', async () => {
    const identity = anIdentity();
    const token = identity.issue({ sub: 'PTY-1' });
    const names = new Set<string>();
    const service = each(aService(), (_, [who]) => {
      const { locator, token } = who as ReturnType<typeof aMember>;
      names.add(`${locator} ${token}`);
    });
    await run({ identity, service, access: { token } });
    expect([...names]).toEqual([`PTY-1 ${token}`]);
  });

  it.each<[string, JourneyAccess, Failure]>([
    ['with a wrong password', { ...member, password: 'wrong' }, unauthenticated('invalid-grant')],
    ['under an unknown name', { ...member, username: 'nobody' }, unauthenticated('invalid-grant')],
    ['with a forged token', { token: 'aaaa.bbbb.cccc' }, unauthenticated('invalid')],
    ['with what is no token', { token: 'canary' }, unauthenticated('invalid')],
    ['without a token', { token: undefined }, unauthenticated('missing')],
    ['as a client that is no party', { grant: 'client_credentials', clientId: '..' }, unauthenticated('invalid')],
  ])('gets no further than the first step %s', async (_, access, failure) => {
    const service = aService();
    const [token, ...rest] = journeySteps;
    expect(await run({ service, access })).toEqual({
      steps: [
        { name: token, outcome: 'failed', elapsedMs: 0, failure },
        ...rest.map((name) => ({ name, outcome: 'skipped', elapsedMs: 0 })),
      ],
      preferences: 'untouched',
    });
    expect(await heldFor(service)).toEqual(six);
  });
});

/** How long every question takes; `token` asks two. */
const tookMs = {
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

/** Does something before every question that a port is asked. */
const each = <Port extends object>(port: Port, before: (name: string, asked: readonly unknown[]) => void): Port =>
  Object.fromEntries(
    Object.entries(port).map(([name, ask]) => [
      name,
      (...asked: unknown[]) => {
        before(name, asked);
        return (ask as (...asked: unknown[]) => unknown)(...asked);
      },
    ]),
  ) as Port;

const taking = (clock: FakeClock, world: { readonly service: Notifications; readonly identity: Identity }) => {
  const pass = (name: string) => clock.advance(tookMs[name as keyof typeof tookMs]);
  return { clock, service: each(world.service, pass), identity: each(world.identity, pass) };
};

const failedAt = (failed: Step, failure: unknown): readonly object[] => {
  const at = journeySteps.indexOf(failed);
  return journeySteps.map((name, nth) => {
    if (nth > at) return { name, outcome: 'skipped', elapsedMs: 0 };
    return { name, elapsedMs: stepMs[name], ...(nth < at ? { outcome: 'ok' } : { outcome: 'failed', failure }) };
  });
};

/** How the preferences are left when the journey is stopped after this step. */
const leftBy = (step: Step) => (journeySteps.indexOf(step) < 3 ? 'untouched' : 'restored');

/** The same when this step fails: an update that failed may still be applied. */
const leftByFailed = (step: Step) => (step === 'put-preferences' ? 'unsure' : leftBy(step));

describe.each(journeySteps)('a journey that fails at %s', (step) => {
  it('names the step, skips the rest and leaves the preferences as they were', async () => {
    const { held, ...world } = answeringAt(step, fails(down));
    const report = await run(taking(fakeClock(), world));
    expect(report.steps).toEqual(failedAt(step, down));
    expect(report.preferences).toBe(leftByFailed(step));
    expect(await heldFor(held)).toEqual(six);
  });

  it('tells what it found so far, and no more', async () => {
    const { held: _, ...world } = answeringAt(step, fails(down));
    const all = { locator: 'PTY-1', before: six, after: turnedOver, notifications, log };
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
    const { steps: _steps, preferences: _left, ...told } = await run(world);
    expect(told).toEqual(Object.fromEntries(found));
  });

  it.each<[string, (cause: Error) => Answer]>([
    [
      'throws',
      (cause) => () => {
        throw cause;
      },
    ],
    ['rejects', (cause) => () => new ResultAsync(Promise.reject(cause))],
  ])('leaves the preferences as they were when an adapter %s', async (_, breaking) => {
    const cause = new Error('a bug');
    const { held, ...world } = answeringAt(step, breaking(cause));
    const report = await run(taking(fakeClock(), world));
    expect(report.steps).toEqual(failedAt(step, { kind: 'unexpected', cause }));
    expect(report.preferences).toBe(leftByFailed(step));
    expect(await heldFor(held)).toEqual(six);
  });
});

describe('an update', () => {
  it('that failed but was applied is undone', async () => {
    const service = aService();
    const replacePreferences = onCall(1, service.replacePreferences, denying(service));
    const report = await run({ service: { ...service, replacePreferences } });
    expect(lastWords(report)).toEqual([['put-preferences', late]]);
    expect(report.preferences).toBe('unsure');
    expect(await heldFor(service)).toEqual(six);
  });

  it.each<[string, Failure, string]>([
    ['may still be applied after a timeout', late, 'unsure'],
    ['may still be applied after a lost connection', down, 'unsure'],
    ['may still be applied after an error status, which a gateway may have sent', status, 'unsure'],
    ['may still be applied after an adapter has thrown', { kind: 'unexpected', cause: undefined }, 'unsure'],
    ['is over when its response cannot be used', malformed, 'restored'],
    ['is over when its response is too large', upstream('notifications', 'too-large'), 'restored'],
    ['was never sent when the circuit is open', upstream('notifications', 'circuit-open'), 'restored'],
    ['was never sent when too many requests wait', { kind: 'overloaded', retryAfterSeconds: 1 }, 'restored'],
    ['was refused when the service does not know the member', notFound('notifications'), 'restored'],
  ])('%s', async (_, failure, preferences) => {
    const { service } = answeringAt('put-preferences', fails(failure));
    expect(await run({ service })).toMatchObject({ preferences });
  });

  it('for which the service has no such member has failed', async () => {
    const { service } = answeringAt('put-preferences', fails(notFound('notifications')));
    expect(lastWords(await run({ service }))).toEqual([['put-preferences', notFound('notifications')]]);
  });

  it('may be answered without content', async () => {
    const service = aService();
    const replacePreferences: Notifications['replacePreferences'] = (who, preferences) =>
      service.replacePreferences(who, preferences).map(() => noContent);
    expect(outcomes(await run({ service: { ...service, replacePreferences } }))).toEqual(allOk);
  });

  it.each(preferenceNames)('of which another %s is read back is not verified, and is put back', async (name) => {
    const after = { ...turnedOver, [name]: !turnedOver[name] };
    const service = aService();
    const preferences = onCall(2, service.preferences, () => okAsync(toJson(after)));
    const report = await run({ service: { ...service, preferences } });
    expect(lastWords(report)).toEqual([['verify-preferences', malformed]]);
    expect(report).toMatchObject({ before: six, after, preferences: 'restored' });
    expect(await heldFor(service)).toEqual(six);
  });

  it('of which nothing is found afterwards is not verified', async () => {
    const { service, held } = answeringAt('verify-preferences', fails(notFound('notifications')));
    const report = await run({ service });
    expect(lastWords(report)).toEqual([['verify-preferences', malformed]]);
    expect(report).toMatchObject({ before: six, after: null, preferences: 'restored' });
    expect(await heldFor(held)).toEqual(six);
  });
});

describe('putting the preferences back', () => {
  it.each<[string, Answer]>([
    ['is refused', fails(down)],
    ['breaks the adapter', breaks],
    ['is acknowledged and not done', () => okAsync(toJson(six))],
  ])('has not happened when it %s', async (_, answer) => {
    const service = aService();
    const replacePreferences = onCall(2, service.replacePreferences, answer);
    const report = await run({ service: { ...service, replacePreferences } });
    expect(outcomes(report)).toEqual(allOk);
    expect(report.preferences).toBe('not-restored');
    expect(await heldFor(service)).toEqual(turnedOver);
  });

  it.each<[string, Answer]>([
    ['fails', fails(late)],
    ['breaks the adapter', breaks],
    ['finds nothing', fails(notFound('notifications'))],
    ['finds five', () => okAsync(toJson({ ...six, email: undefined }))],
    ...preferenceNames.map((name): [string, Answer] => [
      `finds another ${name}`,
      () => okAsync(toJson({ ...six, [name]: !six[name] })),
    ]),
  ])('is not claimed when the look at it %s', async (_, look) => {
    const service = aService();
    const report = await run({ service: { ...service, preferences: onCall(3, service.preferences, look) } });
    expect(outcomes(report)).toEqual(allOk);
    expect(report).toMatchObject({ after: turnedOver, preferences: 'not-restored' });
  });

  it('has happened when it is seen to have, although it seemed to fail', async () => {
    const service = aService();
    const replacePreferences = onCall(2, service.replacePreferences, denying(service));
    expect(await run({ service: { ...service, replacePreferences } })).toMatchObject({ preferences: 'restored' });
    expect(await heldFor(service)).toEqual(six);
  });

  it('comes after everything else, and in nobody’s time', async () => {
    const clock = fakeClock();
    const asked: string[] = [];
    const { held: _, ...world } = answeringAt('read-log', fails(down));
    const { service, identity } = taking(clock, world);
    const report = await run({ clock, identity, service: each(service, (name) => void asked.push(name)) });
    expect(asked).toEqual([
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

describe('an answer that cannot be used', () => {
  const wholes = [null, [], [six], 'canary', true, {}, { preferences: six }];
  const lacking = preferenceNames.map((name) => ({ ...six, [name]: undefined }));
  const wrong = [
    ...preferenceNames.map((name) => ({ ...six, [name]: 'true' })),
    ...[1, 0, null, [], {}].map((sms) => ({ ...six, sms })),
  ];
  const answers = [...wholes, ...lacking, ...wrong].map((value) => JSON.stringify(value));

  describe.each(['get-preferences', 'get-own-preferences', 'verify-preferences'] as const)('to %s', (step) => {
    it.each(answers)('is %s', async (text) => {
      const { service, held } = answeringAt(step, () => okAsync({ text, value: JSON.parse(text) as unknown }));
      const report = await run({ service });
      expect(lastWords(report)).toEqual([[step, malformed]]);
      expect(report.preferences).toBe(leftBy(step));
      expect(await heldFor(held)).toEqual(six);
    });

    it('is one without content', async () => {
      const { service } = answeringAt(step, () => okAsync(noContent));
      expect(lastWords(await run({ service }))).toEqual([[step, malformed]]);
    });
  });

  it.each([
    ['list-notifications', 'notifications'],
    ['read-log', 'log'],
  ] as const)('to %s is one without an array under "%s"', async (step, key) => {
    const other = key === 'log' ? 'notifications' : 'log';
    for (const value of [undefined, null, [], 'canary', {}, { [other]: [] }, { [key]: null }, { [key]: { 0: 'x' } }]) {
      const { service, held } = answeringAt(step, () => okAsync({ text: '', value }));
      const report = await run({ service });
      expect(lastWords(report)).toEqual([[step, malformed]]);
      expect(report).not.toHaveProperty(key);
      expect(report.preferences).toBe('restored');
      expect(await heldFor(held)).toEqual(six);
    }
  });
});

describe('the time a step takes', () => {
  it('is what passes on the clock while its questions are answered', async () => {
    const { steps } = await run(taking(fakeClock(), { service: aService(), identity: anIdentity() }));
    expect(Object.fromEntries(steps.map(({ name, elapsedMs }) => [name, elapsedMs]))).toEqual(stepMs);
  });

  it('is told in whole milliseconds', async () => {
    const clock = fakeClock();
    const service = aService();
    const slow: Notifications = {
      ...service,
      list: (...asked) => {
        clock.advance(2.5);
        return service.list(...asked);
      },
      log: (...asked) => {
        clock.advance(0.4);
        return service.log(...asked);
      },
    };
    const { steps } = await run({ service: slow, clock });
    expect(steps.slice(-2).map(({ elapsedMs }) => elapsedMs)).toEqual([3, 0]);
  });
});

describe('whoever watches', () => {
  it('is told of each step as it ends, before the next begins', async () => {
    const heard: string[] = [];
    const ask = (name: string) => void heard.push(name);
    const world = { service: each(aService(), ask), identity: each(anIdentity(), ask) };
    await run(world, { keep: true, onStep: ({ name, outcome }) => heard.push(`${name} ${outcome}`) });
    expect(heard).toEqual([
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
    'hears of a journey that fails at %s just what the report says, and of no step skipped',
    async (step) => {
      const told: JourneyStep[] = [];
      const { held: _, ...world } = answeringAt(step, fails(down));
      const { steps } = await run(taking(fakeClock(), world), { onStep: (ended) => told.push(ended) });
      expect(told).toEqual(steps.filter(({ outcome }) => outcome !== 'skipped'));
      expect(told).toHaveLength(journeySteps.indexOf(step) + 1);
    },
  );

  it('hears that preferences were never set', async () => {
    const told: JourneyStep[] = [];
    const { steps } = await run(
      { access: newcomer },
      { writeFirstPreferences: true, onStep: (ended) => told.push(ended) },
    );
    expect(told).toEqual(steps);
  });

  it('does no harm by breaking down', async () => {
    const service = aService();
    const report = await run({ service }, { onStep: breaks });
    expect([outcomes(report), report.preferences]).toEqual([allOk, 'restored']);
    expect(await heldFor(service)).toEqual(six);
  });
});

describe('a journey that is stopped', () => {
  it.each(journeySteps)('after %s goes no further and leaves the preferences as they were', async (last) => {
    const service = aService();
    const { signal, abort } = createSignal();
    const report = await run({ service }, { signal, onStep: ({ name }) => name === last && abort() });
    const at = journeySteps.indexOf(last);
    expect(outcomes(report)).toEqual(journeySteps.map((_, nth) => (nth <= at ? 'ok' : 'skipped')));
    expect(report.steps.map(({ name }) => name)).toEqual(journeySteps);
    expect(report.preferences).toBe(leftBy(last));
    expect(await heldFor(service)).toEqual(six);
  });

  it('before it began asks nobody anything', async () => {
    const asked: string[] = [];
    const ask = (name: string) => void asked.push(name);
    const { signal, abort } = createSignal();
    abort();
    const world = { service: each(aService(), ask), identity: each(anIdentity(), ask) };
    expect(await run(world, { signal })).toEqual({
      steps: journeySteps.map((name) => ({ name, outcome: 'skipped', elapsedMs: 0 })),
      preferences: 'untouched',
    });
    expect(asked).toEqual([]);
  });

  it('keeps the change that it was asked to keep', async () => {
    const service = aService();
    const { signal, abort } = createSignal();
    const onStep = ({ name }: JourneyStep) => name === 'put-preferences' && abort();
    expect(await run({ service }, { signal, onStep, keep: true })).toMatchObject({ preferences: 'kept' });
    expect(await heldFor(service)).toEqual(turnedOver);
  });

  it('waits for no step that hangs, and still puts the preferences back', async () => {
    const service = aService();
    const { signal, abort } = createSignal();
    const list: Notifications['list'] = () => {
      abort();
      return new ResultAsync(new Promise(() => {}));
    };
    const report = await run({ service: { ...service, list } }, { signal });
    expect(outcomes(report)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'skipped', 'skipped']);
    expect(report.preferences).toBe('restored');
  });
});

describe('preferences that are changed elsewhere during the journey', () => {
  const elsewhere: Preferences = { ...six, sms: true };

  it('before the update make it fail, and are not overwritten', async () => {
    const service = aService();
    const ownPreferences: Notifications['ownPreferences'] = (who) =>
      service.replacePreferences(who, elsewhere).andThen(() => service.ownPreferences(who));
    const report = await run({ service: { ...service, ownPreferences } });
    expect(lastWords(report)).toEqual([['put-preferences', preconditionFailed('notifications')]]);
    expect(report.preferences).toBe('untouched');
    expect(await heldFor(service)).toEqual(elsewhere);
  });

  it('while an update is interrupted that is refused afterwards are not overwritten', async () => {
    const service = aService();
    const { signal, abort } = createSignal();
    const replacePreferences: Notifications['replacePreferences'] = (who) => {
      abort();
      return service.replacePreferences(who, elsewhere).andThen(fails(preconditionFailed('notifications')));
    };
    const report = await run({ service: { ...service, replacePreferences } }, { signal });
    expect([report.preferences, report.steps[3]?.outcome]).toEqual(['untouched', 'skipped']);
    expect(await heldFor(service)).toEqual(elsewhere);
  });

  it('after the update are not overwritten when the preferences are put back', async () => {
    const service = aService();
    const list: Notifications['list'] = (who, query) =>
      service.replacePreferences(who, elsewhere).andThen(() => service.list(who, query));
    const report = await run({ service: { ...service, list } });
    expect(outcomes(report)).toEqual(allOk);
    expect(report.preferences).toBe('not-restored');
    expect(await heldFor(service)).toEqual(elsewhere);
  });
});

describe('a journey that only reads', () => {
  it.each([
    ['has set preferences', member, 'PTY-1', six],
    ['never set preferences', newcomer, 'PTY-2', 'not-found'],
  ] as const)('skips the update and its verification for a member who %s', async (_, access, locator, held) => {
    const asked: string[] = [];
    const service = aService();
    const watched = each(service, (name) => void asked.push(name));
    const options = { readOnly: true, keep: true, writeFirstPreferences: true, change: { sms: true } };
    const report = await run({ service: watched, access }, options);
    expect(report).toMatchObject({ locator, before: held === six ? six : null, preferences: 'untouched' });
    expect(report).not.toHaveProperty('after');
    expect(report.notifications).toBeDefined();
    expect(report.log).toBeDefined();
    expect(outcomes(report).slice(3)).toEqual(['skipped', 'skipped', 'ok', 'ok']);
    expect(asked).toEqual(['preferences', 'ownPreferences', 'list', 'log']);
    expect(await heldFor(service, locator)).toEqual(held);
  });
});

/** How one update goes: when the service applies it, and when and how the caller sees it end. Undefined: never. */
interface Update {
  readonly appliedAfterMs?: number | undefined;
  readonly endsAfterMs?: number | undefined;
  readonly failure?: Failure;
}

const delays = fc.nat(20).map((steps) => steps * 50);
const optionalDelay = fc.option(delays, { nil: undefined });
const upstreamFailure = (...reasons: readonly UpstreamReason[]) =>
  fc.constantFrom(...reasons).map((reason) => upstream('notifications', reason));

/** Every way an update can go that the ports allow. */
const updates: fc.Arbitrary<Update> = fc.oneof(
  // A response that reports success, readable or not: the service has applied it.
  fc
    .tuple(delays, delays, fc.option(upstreamFailure('malformed', 'too-large'), { nil: undefined }))
    .map(([applied, later, failure]) => ({
      appliedAfterMs: applied,
      endsAfterMs: applied + later,
      ...(failure && { failure }),
    })),
  // Never sent, or refused by the service.
  fc.record({
    endsAfterMs: delays,
    failure: fc.oneof(
      upstreamFailure('circuit-open'),
      fc.constant<Failure>({ kind: 'overloaded', retryAfterSeconds: 1 }),
      fc.constant(notFound('notifications')),
    ),
  }),
  // Nothing is known: it may be applied at any time, or never.
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
    <Asked extends readonly unknown[]>(read: (...asked: Asked) => ResultAsync<Json, Failure>) =>
    (...asked: Asked) =>
      new ResultAsync<Json, Failure>(new Promise((resolve) => after(readAfterMs, () => resolve(read(...asked)))));
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

/** Moves the clock until the promise resolves. */
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
  const { signal, abort } = createSignal();
  clock.after(50, abort);
  const report = await runToEnd(clock, run({ service, clock }, { signal, ...options }));
  return { report, endedAt: clock.monotonic() };
};

describe('what the report claims about the preferences', () => {
  it('holds after every update has been applied, whatever happens to the updates and whenever it is aborted', async () => {
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
          const { signal, abort } = createSignal();
          if (abortAfterMs !== undefined) clock.after(abortAfterMs, abort);
          const journey = run({ service, access, clock }, { signal, keep, writeFirstPreferences: true });
          const { preferences, before } = await runToEnd(clock, journey);
          clock.advance(10_000);
          const left = await runToEnd(clock, heldFor(service, access === member ? 'PTY-1' : 'PTY-2'));
          if (preferences === 'restored') expect(left).toEqual(before);
          if (preferences === 'untouched') expect(left).toEqual(access === member ? six : 'not-found');
          if (preferences === 'kept') expect(left).toEqual(access === member ? turnedOver : startingPreferences);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is "restored" after an interrupted update only once that update has ended', async () => {
    const { report, endedAt } = await interrupted({ appliedAfterMs: 200, endsAfterMs: 300 });
    expect([report.preferences, report.steps[3]?.outcome, endedAt]).toEqual(['restored', 'skipped', 300]);
  });

  it('is "unsure" when an interrupted update has not ended within 400 ms', async () => {
    const { report, endedAt } = await interrupted({ appliedAfterMs: 500, endsAfterMs: 600 });
    expect([report.preferences, endedAt]).toEqual(['unsure', 450]);
  });

  it('waits for an interrupted update as long as settleMs allows', async () => {
    const update = { appliedAfterMs: 500, endsAfterMs: 600 };
    expect((await interrupted(update, { settleMs: 600 })).report.preferences).toBe('restored');
    expect((await interrupted(update, { settleMs: 500 })).report.preferences).toBe('unsure');
  });
});
