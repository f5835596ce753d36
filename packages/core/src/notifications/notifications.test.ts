import { err, errAsync, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { notFound, upstream } from '../shared/failure.ts';
import { noContent, toJson } from '../shared/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { notificationsContract } from './notifications.contract.ts';
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

notificationsContract({ describe, it }, () => ({ notifications: records(), member, neverSet }));

/** Preferences that someone else changes after each of the first reads. */
const writtenInBetween = (service: Notifications, times: number): Notifications => {
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
  'Preferences are exactly email, sms, push, claimsUpdates, billingAlerts, enrollmentReminders, each true or false.';
const wrong = (name: string) => ({ path: `/${name}`, message: 'must be true or false' });
const unknown = (name: string) => ({ path: `/${name}`, message: 'is not a preference' });
const refused = (...errors: readonly object[]) => err({ kind: 'invalid', detail: refusal, errors });
const put = (value: unknown) => putPreferences(records())(member, toJson(value));

describe('preferences', () => {
  it('are what the member set', async () => {
    expect(await getPreferences(records())(member)).toMatchObject({ value: toJson(six) });
  });

  it('that were never set are told apart from everything else that is not there', async () => {
    expect(await getPreferences(records())(neverSet)).toEqual(
      err({ kind: 'not-found', service: 'notifications', code: 'preferences-not-set' }),
    );
  });

  it('that cannot be read are not taken for never set', async () => {
    const notifications = records();
    notifications.failWith(upstream('notifications', 'status'));
    expect(await getPreferences(notifications)(member)).toEqual(err(upstream('notifications', 'status')));
  });

  it('are replaced as a whole', async () => {
    const notifications = records();
    await putPreferences(notifications)(member, toJson({ ...six, email: false }));
    expect(await getPreferences(notifications)(member)).toMatchObject({ value: toJson({ ...six, email: false }) });
  });

  it('can be set for the first time', async () => {
    const notifications = records();
    await putPreferences(notifications)(neverSet, toJson(six));
    expect(await getPreferences(notifications)(neverSet)).toMatchObject({ value: toJson(six) });
  });

  it('that were never set match no entity tag', async () => {
    expect(await putPreferences(records())(neverSet, toJson(six), '*')).toEqual(
      err({ kind: 'precondition-failed', service: 'notifications' }),
    );
  });

  it('are all six, so that none is reset in silence', async () => {
    const { sms: _, push: __, ...four } = six;
    expect(await put(four)).toEqual(refused(wrong('sms'), wrong('push')));
    expect(await put({})).toEqual(refused(...Object.keys(six).map(wrong)));
  });

  it.each(['true', 1, 0, null, [], {}])('are true or false, not %j', async (value) => {
    expect(await put({ ...six, billingAlerts: value })).toEqual(refused(wrong('billingAlerts')));
  });

  it('are nothing but the six', async () => {
    expect(await put({ ...six, fax: true, 'a/b~': 1, partyLocator: 'PTY-2' })).toEqual(
      refused(unknown('fax'), unknown('a~1b~0'), unknown('partyLocator')),
    );
  });

  it('say everything that is wrong at once', async () => {
    const { email: _, ...five } = six;
    expect(await put({ ...five, sms: 'no', Email: true })).toEqual(
      refused(wrong('email'), wrong('sms'), unknown('Email')),
    );
  });

  it('are not inherited', async () => {
    const value = JSON.parse(`{"__proto__":${JSON.stringify(six)}}`) as unknown;
    expect(await put(value)).toEqual(refused(...Object.keys(six).map(wrong), unknown('__proto__')));
  });

  it.each([null, [], 'all', true])('are an object, not %j', async (value) => {
    expect(await put(value)).toEqual(refused({ path: '', message: 'must be a JSON object' }));
  });
});

const unreadable = () => errAsync(upstream('notifications', 'status'));
const neverSetAtAll = err({ kind: 'not-found', service: 'notifications', code: 'preferences-not-set' });

/** A service that also shows everything that was written to it. */
const recording = (differences: Partial<Notifications> = {}) => {
  const written: unknown[] = [];
  const service = records();
  const replacePreferences: Notifications['replacePreferences'] = (who, preferences) => {
    written.push([who.locator, preferences]);
    return service.replacePreferences(who, preferences);
  };
  return { written, service: { ...service, replacePreferences, ...differences } };
};

describe('changing preferences', () => {
  it('changes what is named and leaves the rest, writing all six', async () => {
    const { service, written } = recording();
    const after = { ...six, sms: true, email: false };
    expect(await changePreferences(service)(member, { sms: true, email: false })).toEqual(ok(toJson(after)));
    expect(written).toEqual([['PTY-1', after]]);
    expect(await getPreferences(service)(member)).toMatchObject({ value: toJson(after) });
  });

  it.each(preferenceNames)('can change %s alone', async (name) => {
    const { service, written } = recording();
    await changePreferences(service)(member, { [name]: !six[name] });
    expect(written).toEqual([['PTY-1', { ...six, [name]: !six[name] }]]);
  });

  it.each(preferenceNames)('leaves %s what it is when that is asked for', async (name) => {
    const { service, written } = recording();
    await changePreferences(service)(member, { [name]: six[name] });
    expect(written).toEqual([['PTY-1', six]]);
  });

  it.each([1, 2])('keeps what others write %i times in between', async (times) => {
    const service = records();
    const busy = writtenInBetween(service, times);
    expect(await changePreferences(busy)(member, { sms: true })).toMatchObject({
      value: { value: { ...six, sms: true, push: false, enrollmentReminders: times === 2 } },
    });
  });

  it('fails when others write in between each time', async () => {
    const busy = writtenInBetween(records(), 3);
    expect(await changePreferences(busy)(member, { sms: true })).toEqual(
      err({ kind: 'precondition-failed', service: 'notifications' }),
    );
  });

  it('writes what there is when nothing is named, however often', async () => {
    const { service, written } = recording();
    expect(await changePreferences(service)(member, {})).toEqual(ok(toJson(six)));
    expect(await changePreferences(service)(member, {})).toEqual(ok(toJson(six)));
    expect(written).toEqual([
      ['PTY-1', six],
      ['PTY-1', six],
    ]);
  });

  it('names each of the six once, in their usual order', async () => {
    const result = await changePreferences(records())(member, { enrollmentReminders: false, email: false });
    expect(result.map(({ text }) => text.match(/\w+(?=":)/g))).toEqual(ok(preferenceNames));
  });

  it('writes the six only, whatever else the service says of them', async () => {
    const { service, written } = recording({
      preferences: () => okAsync(toJson({ updatedAt: '2026-01-01', ...six })),
    });
    await changePreferences(service)(member, { push: false });
    expect(written).toEqual([['PTY-1', { ...six, push: false }]]);
  });

  it('is not ours to do in part for a member who never set any', async () => {
    const { service, written } = recording();
    const { sms: _, ...five } = six;
    expect(await changePreferences(service)(neverSet, five)).toEqual(neverSetAtAll);
    expect(await changePreferences(service)(neverSet, {})).toEqual(neverSetAtAll);
    expect(written).toEqual([]);
    expect(await getPreferences(service)(neverSet)).toEqual(neverSetAtAll);
  });

  it('sets all six for the first time when all are named, without asking what they were', async () => {
    const { service, written } = recording({ preferences: unreadable });
    expect(await changePreferences(service)(neverSet, six)).toEqual(ok(toJson(six)));
    expect(written).toEqual([['PTY-2', six]]);
  });

  it('passes on what the service says to it', async () => {
    const accepted = { text: '{ "accepted":true }', value: { accepted: true } };
    const { service } = recording({ replacePreferences: () => okAsync(accepted) });
    expect(await changePreferences(service)(member, { sms: true })).toEqual(ok(accepted));
  });

  it('does not happen when what there is cannot be read', async () => {
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
  ])('does not happen when what there is makes no sense: $text', async (json) => {
    const { service, written } = recording({ preferences: () => okAsync(json) });
    expect(await changePreferences(service)(member, { sms: true, push: true })).toEqual(
      err(upstream('notifications', 'malformed')),
    );
    expect(written).toEqual([]);
  });

  it('has failed when the service does not take it', async () => {
    const { service } = recording({ replacePreferences: unreadable });
    expect(await changePreferences(service)(member, { sms: true })).toEqual(err(upstream('notifications', 'status')));
    const { service: forgetful } = recording({ replacePreferences: () => errAsync(notFound('notifications')) });
    expect(await changePreferences(forgetful)(member, { sms: true })).toEqual(neverSetAtAll);
  });
});

describe('the notification feed', () => {
  it('lists what the member was notified of, as asked', async () => {
    expect(await listNotifications(records())(member, [['type', 'bill']])).toEqual(
      ok(toJson({ notifications: [{ type: 'bill' }] })),
    );
  });

  it('has a log of what was sent', async () => {
    expect(await readNotificationLog(records())(member, [])).toEqual(ok(toJson({ log: [{ channel: 'email' }] })));
  });

  it('refuses parameters that lists do not relay', async () => {
    const refusal = { error: { kind: 'invalid', errors: [{ path: '/user' }] } };
    expect(await listNotifications(records())(member, [['user', 'PTY-2']])).toMatchObject(refusal);
    expect(await readNotificationLog(records())(member, [['user', 'PTY-2']])).toMatchObject(refusal);
  });
});
