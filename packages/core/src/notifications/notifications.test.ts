import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { upstream } from '../shared/failure.ts';
import { toJson } from '../shared/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { notificationsContract } from './notifications.contract.ts';
import { fakeNotifications } from './notifications.fake.ts';
import { getPreferences, listNotifications, putPreferences, readNotificationLog } from './notifications.ts';

const member = aMember('PTY-1');
const neverSet = aMember('PTY-2');
const six = {
  email: true,
  sms: false,
  push: true,
  claimsUpdates: true,
  billingAlerts: false,
  enrollmentReminders: true,
} as const;
const records = () =>
  fakeNotifications({
    'PTY-1': { preferences: six, notifications: [{ type: 'claim' }, { type: 'bill' }], log: [{ channel: 'email' }] },
    'PTY-2': { preferences: null, notifications: [], log: [] },
  });

notificationsContract({ describe, it }, () => ({ notifications: records(), member, neverSet }));

const refusal =
  'Preferences are exactly email, sms, push, claimsUpdates, billingAlerts, enrollmentReminders, each true or false.';
const wrong = (name: string) => ({ path: `/${name}`, message: 'must be true or false' });
const unknown = (name: string) => ({ path: `/${name}`, message: 'is not a preference' });
const refused = (...errors: readonly object[]) => err({ kind: 'invalid', detail: refusal, errors });
const put = (value: unknown) => putPreferences(records())(member, toJson(value));

describe('preferences', () => {
  it('are what the member set', async () => {
    expect(await getPreferences(records())(member)).toEqual(ok(toJson(six)));
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
    expect(await getPreferences(notifications)(member)).toEqual(ok(toJson({ ...six, email: false })));
  });

  it('can be set for the first time', async () => {
    const notifications = records();
    await putPreferences(notifications)(neverSet, toJson(six));
    expect(await getPreferences(notifications)(neverSet)).toEqual(ok(toJson(six)));
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
