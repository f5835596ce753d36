import { err, errAsync, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { notFound, upstream } from '../shared/failure.ts';
import { noContent, toJson } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { fakeNotifications, somePreferences as six } from './notifications.fake.ts';
import type { Notifications } from './notifications.port.ts';
import {
  changePreferences,
  getPreferences,
  listNotifications,
  putPreferences,
  readNotificationLog,
} from './notifications.ts';
import { preferenceNames } from './preferences.ts';

const member = aMember('PTY-1');
const neverSet = aMember('PTY-2');
const records = () =>
  fakeNotifications({
    'PTY-1': { preferences: six, notifications: [{ type: 'claim' }, { type: 'bill' }], log: [{ channel: 'email' }] },
    'PTY-2': { preferences: null, notifications: [], log: [] },
  });

/** A service in which another client changes the preferences after each of the first `times` reads. */
const changedConcurrently = (service: Notifications, times: number): Notifications => {
  let reads = 0;
  return {
    ...service,
    preferences: (of) =>
      service.preferences(of).andTee(async () => {
        reads++;
        if (reads <= times)
          await service.replacePreferences(of, { ...six, push: false, enrollmentReminders: reads % 2 === 0 });
      }),
  };
};

const refusal =
  'Preferences must have exactly these fields, each true or false: email, sms, push, claimsUpdates, billingAlerts, enrollmentReminders.';
const wrong = (name: string) => ({ path: `/${name}`, message: 'must be true or false' });
const unknown = (name: string) => ({ path: `/${name}`, message: 'unknown preference' });
const refused = (...errors: readonly object[]) => err({ kind: 'invalid', detail: refusal, errors });
const put = (value: unknown) => putPreferences(records())(member, toJson(value));

describe('getPreferences and putPreferences', () => {
  it('returns the preferences that the member has set', async () => {
    expect(await getPreferences(records())(member)).toMatchObject({ value: toJson(six) });
  });

  it('names at most 20 unknown preferences, and at most 64 characters of each', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index}`.padEnd(100, 'x'));
    const value = { ...six, ...Object.fromEntries(names.map((name) => [name, true])) };
    expect(await put(value)).toEqual(refused(...names.slice(0, 20).map((name) => unknown(name.slice(0, 64)))));
  });

  it('fails with the code preferences-not-set when preferences were never set', async () => {
    expect(await getPreferences(records())(neverSet)).toEqual(
      err({ kind: 'not-found', service: 'notifications', code: 'preferences-not-set' }),
    );
  });

  it('fails upstream, not preferences-not-set, when the service fails', async () => {
    const notifications = records();
    notifications.failWith(upstream('notifications', 'status'));
    expect(await getPreferences(notifications)(member)).toEqual(err(upstream('notifications', 'status')));
  });

  it('replaces all preferences', async () => {
    const notifications = records();
    await putPreferences(notifications)(member, toJson({ ...six, email: false }));
    expect(await getPreferences(notifications)(member)).toMatchObject({ value: toJson({ ...six, email: false }) });
  });

  it('sets preferences for the first time', async () => {
    const notifications = records();
    await putPreferences(notifications)(neverSet, toJson(six));
    expect(await getPreferences(notifications)(neverSet)).toMatchObject({ value: toJson(six) });
  });

  it('rejects If-Match: * when preferences were never set', async () => {
    expect(await putPreferences(records())(neverSet, toJson(six), '*')).toEqual(
      err({ kind: 'precondition-failed', service: 'notifications' }),
    );
  });

  it('rejects missing preferences, so that none is reset silently', async () => {
    const { sms: _, push: __, ...four } = six;
    expect(await put(four)).toEqual(refused(wrong('sms'), wrong('push')));
    expect(await put({})).toEqual(refused(...Object.keys(six).map(wrong)));
  });

  it.each(['true', 1, 0, null, [], {}])('rejects %j in place of true or false', async (value) => {
    expect(await put({ ...six, billingAlerts: value })).toEqual(refused(wrong('billingAlerts')));
  });

  it('rejects unknown fields', async () => {
    expect(await put({ ...six, fax: true, 'a/b~': 1, partyLocator: 'PTY-2' })).toEqual(
      refused(unknown('fax'), unknown('a~1b~0'), unknown('partyLocator')),
    );
  });

  it('reports all errors at once', async () => {
    const { email: _, ...five } = six;
    expect(await put({ ...five, sms: 'no', Email: true })).toEqual(
      refused(wrong('email'), wrong('sms'), unknown('Email')),
    );
  });

  it('ignores inherited properties', async () => {
    const value = JSON.parse(`{"__proto__":${JSON.stringify(six)}}`) as unknown;
    expect(await put(value)).toEqual(refused(...Object.keys(six).map(wrong), unknown('__proto__')));
  });

  it.each([null, [], 'all', true])('rejects %j, which is not an object', async (value) => {
    expect(await put(value)).toEqual(refused({ path: '', message: 'must be a JSON object' }));
  });
});

const unreadable = () => errAsync(upstream('notifications', 'status'));
const preferencesNotSet = err({ kind: 'not-found', service: 'notifications', code: 'preferences-not-set' });

/** A service that records every write. */
const recording = (differences: Partial<Notifications> = {}) => {
  const written: unknown[] = [];
  const service = records();
  const replacePreferences: Notifications['replacePreferences'] = (who, preferences) => {
    written.push([who.locator, preferences]);
    return service.replacePreferences(who, preferences);
  };
  return { written, service: { ...service, replacePreferences, ...differences } };
};

describe('changePreferences', () => {
  it('changes the named preferences and writes all six', async () => {
    const { service, written } = recording();
    const after = { ...six, sms: true, email: false };
    expect(await changePreferences(service)(member, { sms: true, email: false })).toEqual(ok(toJson(after)));
    expect(written).toEqual([['PTY-1', after]]);
    expect(await getPreferences(service)(member)).toMatchObject({ value: toJson(after) });
  });

  it.each(preferenceNames)('changes only %s', async (name) => {
    const { service, written } = recording();
    await changePreferences(service)(member, { [name]: !six[name] });
    expect(written).toEqual([['PTY-1', { ...six, [name]: !six[name] }]]);
  });

  it.each(preferenceNames)('writes %s unchanged when it already has the requested value', async (name) => {
    const { service, written } = recording();
    await changePreferences(service)(member, { [name]: six[name] });
    expect(written).toEqual([['PTY-1', six]]);
  });

  it.each([1, 2])('retries and keeps concurrent changes, made %i times', async (times) => {
    const service = records();
    const busy = changedConcurrently(service, times);
    expect(await changePreferences(busy)(member, { sms: true })).toMatchObject({
      value: { value: { ...six, sms: true, push: false, enrollmentReminders: times === 2 } },
    });
  });

  it('does not repeat a change that fails for another reason', async () => {
    let writes = 0;
    const failing: Notifications = {
      ...records(),
      replacePreferences: () => {
        writes++;
        return errAsync(upstream('notifications', 'timeout'));
      },
    };
    expect(await changePreferences(failing)(member, { sms: true })).toEqual(err(upstream('notifications', 'timeout')));
    expect(writes).toBe(1);
  });

  it('fails precondition-failed after three concurrent changes', async () => {
    const busy = changedConcurrently(records(), 3);
    expect(await changePreferences(busy)(member, { sms: true })).toEqual(
      err({ kind: 'precondition-failed', service: 'notifications' }),
    );
  });

  it('keeps a preference whose change is undefined', async () => {
    const { service, written } = recording();
    // What a program without `exactOptionalPropertyTypes` can pass.
    const change: object = { email: undefined, sms: true };
    expect(await changePreferences(service)(member, change)).toEqual(ok(toJson({ ...six, sms: true })));
    expect(written).toEqual([['PTY-1', { ...six, sms: true }]]);
  });

  it.each<[string, object]>([
    ['an unknown preference', { sms: true, fax: true }],
    ['a preference beside all six', { ...six, partyLocator: 'PTY-2' }],
    ['a preference that is not a boolean', { email: 'no' }],
    ['a preference that is null', { email: null }],
  ])('writes nothing and fails for %s', async (_, change) => {
    const { service, written } = recording();
    expect(await changePreferences(service)(member, change)).toMatchObject({ error: { kind: 'invalid' } });
    expect(written).toEqual([]);
  });

  it('writes the current preferences when no change is given', async () => {
    const { service, written } = recording();
    expect(await changePreferences(service)(member, {})).toEqual(ok(toJson(six)));
    expect(await changePreferences(service)(member, {})).toEqual(ok(toJson(six)));
    expect(written).toEqual([
      ['PTY-1', six],
      ['PTY-1', six],
    ]);
  });

  it('writes the preferences in their defined order', async () => {
    const result = await changePreferences(records())(member, { enrollmentReminders: false, email: false });
    expect(result.map(({ text }) => text.match(/\w+(?=":)/g))).toEqual(ok(preferenceNames));
  });

  it('writes only the six preferences when the service returns more fields', async () => {
    const { service, written } = recording({
      preferences: () => okAsync(toJson({ updatedAt: '2026-01-01', ...six })),
    });
    await changePreferences(service)(member, { push: false });
    expect(written).toEqual([['PTY-1', { ...six, push: false }]]);
  });

  it('fails preferences-not-set for a partial change of a member who never set any', async () => {
    const { service, written } = recording();
    const { sms: _, ...five } = six;
    expect(await changePreferences(service)(neverSet, five)).toEqual(preferencesNotSet);
    expect(await changePreferences(service)(neverSet, {})).toEqual(preferencesNotSet);
    expect(written).toEqual([]);
    expect(await getPreferences(service)(neverSet)).toEqual(preferencesNotSet);
  });

  it('sets all six for the first time without reading them', async () => {
    const { service, written } = recording({ preferences: unreadable });
    expect(await changePreferences(service)(neverSet, six)).toEqual(ok(toJson(six)));
    expect(written).toEqual([['PTY-2', six]]);
  });

  it('returns the response of the service', async () => {
    const accepted = { text: '{ "accepted":true }', value: { accepted: true } };
    const { service } = recording({ replacePreferences: () => okAsync(accepted) });
    expect(await changePreferences(service)(member, { sms: true })).toEqual(ok(accepted));
  });

  it('writes nothing when the current preferences cannot be read', async () => {
    const { service, written } = recording({ preferences: unreadable });
    expect(await changePreferences(service)(member, { sms: true })).toEqual(err(upstream('notifications', 'status')));
    expect(written).toEqual([]);
  });

  it.each([
    noContent,
    ...[
      null,
      [],
      [six],
      'canary',
      { preferences: six },
      ...preferenceNames.map((name) => ({ ...six, [name]: undefined })),
      ...['true', 1, 0, null].map((push) => ({ ...six, push })),
    ].map(toJson),
  ])('writes nothing when the current preferences are malformed: $text', async (json) => {
    const { service, written } = recording({ preferences: () => okAsync(json) });
    expect(await changePreferences(service)(member, { sms: true, push: true })).toEqual(
      err(upstream('notifications', 'malformed')),
    );
    expect(written).toEqual([]);
  });

  it('fails when the service rejects the write', async () => {
    const { service } = recording({ replacePreferences: unreadable });
    expect(await changePreferences(service)(member, { sms: true })).toEqual(err(upstream('notifications', 'status')));
    const { service: forgetful } = recording({ replacePreferences: () => errAsync(notFound('notifications')) });
    expect(await changePreferences(forgetful)(member, { sms: true })).toEqual(preferencesNotSet);
  });
});

describe('listNotifications and readNotificationLog', () => {
  it('lists notifications and relays the query parameters', async () => {
    expect(await listNotifications(records())(member, [['type', 'bill']])).toEqual(
      ok(toJson({ notifications: [{ type: 'bill' }] })),
    );
  });

  it('returns the delivery log', async () => {
    expect(await readNotificationLog(records())(member, [])).toEqual(ok(toJson({ log: [{ channel: 'email' }] })));
  });

  it('rejects unknown query parameters', async () => {
    const refusal = { error: { kind: 'invalid', errors: [{ path: '/user' }] } };
    expect(await listNotifications(records())(member, [['user', 'PTY-2']])).toMatchObject(refusal);
    expect(await readNotificationLog(records())(member, [['user', 'PTY-2']])).toMatchObject(refusal);
  });
});
