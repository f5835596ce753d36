import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fakeIdentity } from '../identity/identity.fake.ts';
import type { Identity, TokenClaims } from '../identity/identity.port.ts';
import { type FakeClock, fakeClock } from '../runtime/clock.fake.ts';
import { createSignal } from '../runtime/signal.ts';
import { type Failure, notFound, unauthenticated, upstream } from '../shared/failure.ts';
import { type Json, noContent, toJson } from '../shared/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { fakeNotifications } from './notifications.fake.ts';
import type { Notifications } from './notifications.port.ts';
import { preferenceNames, type Preferences, startingPreferences } from './preferences.ts';
import {
  type JourneyAccess,
  type JourneyOptions,
  type JourneyStep,
  journeySteps,
  runPreferencesJourney,
} from './preferences-journey.ts';

type Step = JourneyStep['name'];

const six: Preferences = {
  email: true,
  sms: false,
  push: true,
  claimsUpdates: true,
  billingAlerts: false,
  enrollmentReminders: true,
};
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

const walked = (
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
    expect(await walked({ service })).toEqual({
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
    const { steps } = await walked({});
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
    const report = await walked({ service }, { keep: true });
    expect(report).toMatchObject({ before, after: { ...before, enrollmentReminders: !was } });
    expect(await heldFor(service)).toEqual({ ...before, enrollmentReminders: !was });
  });

  it('changes what it is told to and nothing else', async () => {
    const service = aService();
    const report = await walked({ service }, { change: { sms: true, push: false } });
    expect(report).toMatchObject({ before: six, after: { ...six, sms: true, push: false }, preferences: 'restored' });
    expect(outcomes(report)).toEqual(allOk);
    expect(await heldFor(service)).toEqual(six);
  });

  it('leaves the change in place when asked to keep it', async () => {
    const service = aService();
    const report = await walked({ service }, { change: { sms: true }, keep: true });
    expect(report).toMatchObject({ before: six, after: { ...six, sms: true }, preferences: 'kept' });
    expect(await heldFor(service)).toEqual({ ...six, sms: true });
  });

  it('leaves the change in place when asked to, also when a list fails afterwards', async () => {
    const { service, held } = answeringAt('list-notifications', fails(down));
    const report = await walked({ service }, { keep: true });
    expect(outcomes(report)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'failed', 'skipped']);
    expect(report.preferences).toBe('kept');
    expect(await heldFor(held)).toEqual(turnedOver);
  });

  it('leaves the change in place when asked to, also when it could not be read back', async () => {
    const { service, held } = answeringAt('verify-preferences', fails(late));
    const report = await walked({ service }, { keep: true });
    expect(lastWords(report)).toEqual([['verify-preferences', late]]);
    expect(report.preferences).toBe('kept');
    expect(report).not.toHaveProperty('after');
    expect(await heldFor(held)).toEqual(turnedOver);
  });

  it('shows what was read back when it is not what it was asked to keep', async () => {
    const after = { ...turnedOver, sms: true };
    const service = aService();
    const preferences = onCall(2, service.preferences, () => okAsync(toJson(after)));
    const report = await walked({ service: { ...service, preferences } }, { keep: true });
    expect(lastWords(report)).toEqual([['verify-preferences', malformed]]);
    expect(report).toMatchObject({ after, preferences: 'kept' });
  });

  it.each<[string, Answer]>([
    ['failed', fails(late)],
    ['broke the adapter', breaks],
  ])('does not claim to have kept a change that was never made, because it %s', async (_, answer) => {
    const { service, held } = answeringAt('put-preferences', answer);
    const report = await walked({ service }, { keep: true });
    expect(outcomes(report)).toEqual(['ok', 'ok', 'ok', 'failed', 'skipped', 'skipped', 'skipped']);
    expect(report.preferences).toBe('restored');
    expect(await heldFor(held)).toEqual(six);
  });

  it('puts back a change that seemed to fail, also when asked to keep it', async () => {
    const service = aService();
    const replacePreferences = onCall(1, service.replacePreferences, denying(service));
    const report = await walked({ service: { ...service, replacePreferences } }, { keep: true });
    expect(lastWords(report)).toEqual([['put-preferences', late]]);
    expect(report.preferences).toBe('restored');
    expect(await heldFor(service)).toEqual(six);
  });

  it('has nothing to keep when it ended before the change', async () => {
    for (const step of ['token', 'get-preferences', 'get-own-preferences'] as const) {
      const { held: _, ...world } = answeringAt(step, fails(down));
      expect(await walked(world, { keep: true })).toMatchObject({ preferences: 'untouched' });
    }
  });

  it('takes the six out of an answer that says more', async () => {
    const service = aService();
    const { preferences } = service;
    const talkative: Notifications['preferences'] = (who) =>
      preferences(who).map(({ value }) => toJson({ updatedAt: '2026-01-01', ...(value as Preferences) }));
    const report = await walked({ service: { ...service, preferences: talkative } });
    expect(report).toMatchObject({ before: six, after: turnedOver, preferences: 'restored' });
    expect(Object.keys(report.before ?? {})).toEqual(preferenceNames);
    expect(outcomes(report)).toEqual(allOk);
  });
});

describe('the preferences journey of a member who never set preferences', () => {
  it('is no failure: it writes the starting ones and says that it could not unset them', async () => {
    const service = aService();
    const report = await walked({ service, access: newcomer });
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

  it('writes the starting ones with what it is told to change', async () => {
    const service = aService();
    const report = await walked({ service, access: newcomer }, { change: { email: false, push: true } });
    const after = { ...startingPreferences, email: false, push: true };
    expect(report).toMatchObject({ before: null, after, preferences: 'not-unset' });
    expect(await heldFor(service, 'PTY-2')).toEqual(after);
  });

  it('has nothing to unset when it was asked to keep them', async () => {
    const service = aService();
    expect(await walked({ service, access: newcomer }, { keep: true })).toMatchObject({ preferences: 'kept' });
    expect(await heldFor(service, 'PTY-2')).toEqual(startingPreferences);
  });

  it.each([false, true])('has touched nothing when the update failed and was not done; keep: %s', async (keep) => {
    const { service, held } = answeringAt('put-preferences', fails(late));
    const report = await walked({ service, access: newcomer }, { keep });
    expect(outcomes(report)).toEqual(['ok', 'never-set', 'never-set', 'failed', 'skipped', 'skipped', 'skipped']);
    expect(report.preferences).toBe('untouched');
    expect(await heldFor(held, 'PTY-2')).toBe('not-found');
  });

  it.each([false, true])('could not unset what an update has done that seemed to fail; keep: %s', async (keep) => {
    const service = aService();
    const world = { service: { ...service, replacePreferences: denying(service) }, access: newcomer };
    const report = await walked(world, { keep });
    expect(report.preferences).toBe('not-unset');
    expect(await heldFor(service, 'PTY-2')).toEqual(startingPreferences);
  });

  it('does not claim to have touched nothing when nobody can tell', async () => {
    const { service } = answeringAt('put-preferences', fails(late));
    const preferences = onCall(2, service.preferences, fails(late));
    const report = await walked({ service: { ...service, preferences }, access: newcomer });
    expect(report.preferences).toBe('not-unset');
  });
});

describe('who walks the journey', () => {
  it('may bring a token of their own', async () => {
    const identity = anIdentity();
    const access = { token: identity.issue({ sub: 'PTY-1' }) };
    const report = await walked({ identity: { ...identity, requestToken: fails(down) }, access });
    expect(report).toMatchObject({ locator: 'PTY-1', preferences: 'restored' });
    expect(outcomes(report)).toEqual(allOk);
  });

  it('may be a client that signs in for itself', async () => {
    const report = await walked({ access: { grant: 'client_credentials', clientId: 'PTY-1' } });
    expect(report.locator).toBe('PTY-1');
    expect(outcomes(report)).toEqual(allOk);
  });

  it('is named by the claim that is configured', async () => {
    const identity = anIdentity();
    const access = { token: identity.issue({ sub: 'auth0|1', partyLocator: 'PTY-2', party: 'PTY-1' }) };
    expect((await walked({ identity, access, locatorClaim: 'party' })).locator).toBe('PTY-1');
  });

  it('is who every question is asked for, with their own token', async () => {
    const identity = anIdentity();
    const token = identity.issue({ sub: 'PTY-1' });
    const names = new Set<string>();
    const service = each(aService(), (_, [who]) => {
      const { locator, token } = who as ReturnType<typeof aMember>;
      names.add(`${locator} ${token}`);
    });
    await walked({ identity, service, access: { token } });
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
    expect(await walked({ service, access })).toEqual({
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

/** How the preferences are left when the journey ends with this step. */
const leftBy = (step: Step) => (journeySteps.indexOf(step) < 3 ? 'untouched' : 'restored');

describe.each(journeySteps)('a journey that fails at %s', (step) => {
  it('names the step, skips the rest and leaves the preferences as they were', async () => {
    const { held, ...world } = answeringAt(step, fails(down));
    const report = await walked(taking(fakeClock(), world));
    expect(report.steps).toEqual(failedAt(step, down));
    expect(report.preferences).toBe(leftBy(step));
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
    const { steps: _steps, preferences: _left, ...told } = await walked(world);
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
  ])('because an adapter %s is as good as new too', async (_, breaking) => {
    const cause = new Error('a bug');
    const { held, ...world } = answeringAt(step, breaking(cause));
    const report = await walked(taking(fakeClock(), world));
    expect(report.steps).toEqual(failedAt(step, { kind: 'unexpected', cause }));
    expect(report.preferences).toBe(leftBy(step));
    expect(await heldFor(held)).toEqual(six);
  });
});

describe('an update', () => {
  it('that was done although it seemed to fail is put back', async () => {
    const service = aService();
    const replacePreferences = onCall(1, service.replacePreferences, denying(service));
    const report = await walked({ service: { ...service, replacePreferences } });
    expect(lastWords(report)).toEqual([['put-preferences', late]]);
    expect(report.preferences).toBe('restored');
    expect(await heldFor(service)).toEqual(six);
  });

  it('that was not done, with a service that takes none, left the preferences as they were', async () => {
    const service = aService();
    const report = await walked({ service: { ...service, replacePreferences: fails(down) } });
    expect(report.preferences).toBe('restored');
  });

  it('for which the service has no such member has failed', async () => {
    const { service } = answeringAt('put-preferences', fails(notFound('notifications')));
    expect(lastWords(await walked({ service }))).toEqual([['put-preferences', notFound('notifications')]]);
  });

  it('may be answered without content', async () => {
    const service = aService();
    const replacePreferences: Notifications['replacePreferences'] = (who, preferences) =>
      service.replacePreferences(who, preferences).map(() => noContent);
    expect(outcomes(await walked({ service: { ...service, replacePreferences } }))).toEqual(allOk);
  });

  it.each(preferenceNames)('of which another %s is read back is not verified, and is put back', async (name) => {
    const after = { ...turnedOver, [name]: !turnedOver[name] };
    const service = aService();
    const preferences = onCall(2, service.preferences, () => okAsync(toJson(after)));
    const report = await walked({ service: { ...service, preferences } });
    expect(lastWords(report)).toEqual([['verify-preferences', malformed]]);
    expect(report).toMatchObject({ before: six, after, preferences: 'restored' });
    expect(await heldFor(service)).toEqual(six);
  });

  it('of which nothing is found afterwards is not verified', async () => {
    const { service, held } = answeringAt('verify-preferences', fails(notFound('notifications')));
    const report = await walked({ service });
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
    const report = await walked({ service: { ...service, replacePreferences } });
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
    const report = await walked({ service: { ...service, preferences: onCall(3, service.preferences, look) } });
    expect(outcomes(report)).toEqual(allOk);
    expect(report).toMatchObject({ after: turnedOver, preferences: 'not-restored' });
  });

  it('has happened when it is seen to have, although it seemed to fail', async () => {
    const service = aService();
    const replacePreferences = onCall(2, service.replacePreferences, denying(service));
    expect(await walked({ service: { ...service, replacePreferences } })).toMatchObject({ preferences: 'restored' });
    expect(await heldFor(service)).toEqual(six);
  });

  it('comes after everything else, and in nobody’s time', async () => {
    const clock = fakeClock();
    const asked: string[] = [];
    const { held: _, ...world } = answeringAt('read-log', fails(down));
    const { service, identity } = taking(clock, world);
    const report = await walked({ clock, identity, service: each(service, (name) => void asked.push(name)) });
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
      const report = await walked({ service });
      expect(lastWords(report)).toEqual([[step, malformed]]);
      expect(report.preferences).toBe(leftBy(step));
      expect(await heldFor(held)).toEqual(six);
    });

    it('is one without content', async () => {
      const { service } = answeringAt(step, () => okAsync(noContent));
      expect(lastWords(await walked({ service }))).toEqual([[step, malformed]]);
    });
  });

  it.each([
    ['list-notifications', 'notifications'],
    ['read-log', 'log'],
  ] as const)('to %s is one without an array under "%s"', async (step, key) => {
    const other = key === 'log' ? 'notifications' : 'log';
    for (const value of [undefined, null, [], 'canary', {}, { [other]: [] }, { [key]: null }, { [key]: { 0: 'x' } }]) {
      const { service, held } = answeringAt(step, () => okAsync({ text: '', value }));
      const report = await walked({ service });
      expect(lastWords(report)).toEqual([[step, malformed]]);
      expect(report).not.toHaveProperty(key);
      expect(report.preferences).toBe('restored');
      expect(await heldFor(held)).toEqual(six);
    }
  });
});

describe('the time a step takes', () => {
  it('is what passes on the clock while its questions are answered', async () => {
    const { steps } = await walked(taking(fakeClock(), { service: aService(), identity: anIdentity() }));
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
    const { steps } = await walked({ service: slow, clock });
    expect(steps.slice(-2).map(({ elapsedMs }) => elapsedMs)).toEqual([3, 0]);
  });
});

describe('whoever watches', () => {
  it('is told of each step as it ends, before the next begins', async () => {
    const heard: string[] = [];
    const ask = (name: string) => void heard.push(name);
    const world = { service: each(aService(), ask), identity: each(anIdentity(), ask) };
    await walked(world, { keep: true, onStep: ({ name, outcome }) => heard.push(`${name} ${outcome}`) });
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
      const { steps } = await walked(taking(fakeClock(), world), { onStep: (ended) => told.push(ended) });
      expect(told).toEqual(steps.filter(({ outcome }) => outcome !== 'skipped'));
      expect(told).toHaveLength(journeySteps.indexOf(step) + 1);
    },
  );

  it('hears that preferences were never set', async () => {
    const told: JourneyStep[] = [];
    const { steps } = await walked({ access: newcomer }, { onStep: (ended) => told.push(ended) });
    expect(told).toEqual(steps);
  });

  it('does no harm by breaking down', async () => {
    const service = aService();
    const report = await walked({ service }, { onStep: breaks });
    expect([outcomes(report), report.preferences]).toEqual([allOk, 'restored']);
    expect(await heldFor(service)).toEqual(six);
  });
});

describe('a journey that is stopped', () => {
  it.each(journeySteps)('after %s goes no further and leaves the preferences as they were', async (last) => {
    const service = aService();
    const { signal, abort } = createSignal();
    const report = await walked({ service }, { signal, onStep: ({ name }) => name === last && abort() });
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
    expect(await walked(world, { signal })).toEqual({
      steps: journeySteps.map((name) => ({ name, outcome: 'skipped', elapsedMs: 0 })),
      preferences: 'untouched',
    });
    expect(asked).toEqual([]);
  });

  it('keeps the change that it was asked to keep', async () => {
    const service = aService();
    const { signal, abort } = createSignal();
    const onStep = ({ name }: JourneyStep) => name === 'put-preferences' && abort();
    expect(await walked({ service }, { signal, onStep, keep: true })).toMatchObject({ preferences: 'kept' });
    expect(await heldFor(service)).toEqual(turnedOver);
  });

  it('waits for no step that hangs, and still puts the preferences back', async () => {
    const service = aService();
    const { signal, abort } = createSignal();
    const list: Notifications['list'] = () => {
      abort();
      return new ResultAsync(new Promise(() => {}));
    };
    const report = await walked({ service: { ...service, list } }, { signal });
    expect(outcomes(report)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'skipped', 'skipped']);
    expect(report.preferences).toBe('restored');
  });
});
