import { check, equal, succeeds } from '../contract/assertions.ts';
import { contractSuite } from '../contract/contract-suite.ts';
import { canary } from '../contract/supervision.ts';
import { maxSignInMs, type SessionStore } from './session-store.port.ts';

export interface SessionStoreSubject {
  readonly store: SessionStore;
  /** Returns an id, label or value that was never used. */
  readonly fresh: () => string;
  /** Lets this many milliseconds pass. If it is absent, lifetimes are not tested. */
  readonly pass?: (ms: number) => Promise<void>;
  /** Makes the store unavailable. If it is absent, failures are not tested. */
  readonly fail?: () => Promise<void>;
}

const minute = 60_000;

/** Stores a session with the labels, and returns its id. */
const created = async ({ store, fresh }: SessionStoreSubject, labels: readonly string[] = [], lasts = minute) => {
  const id = fresh();
  const session = { value: `value of ${id}`, labels, beganMsAgo: 0, expiresInMs: lasts };
  equal(await succeeds(store.create(id, session)), true, 'the creation of a session');
  return id;
};

/** Creates a session of a sign-in that began this long ago, and returns whether the store did. */
const signedIn = async (subject: SessionStoreSubject, labels: readonly string[], beganMsAgo: number) => {
  const id = subject.fresh();
  const session = { value: `value of ${id}`, labels, beganMsAgo, expiresInMs: minute };
  const isCreated = await succeeds(subject.store.create(id, session));
  equal((await valueOf(subject, id)) !== undefined, isCreated, 'whether a session exists that was reported as created');
  return isCreated;
};

const valueOf = async ({ store }: SessionStoreSubject, id: string) => (await succeeds(store.find(id)))?.value;

/** The version of a session that must exist. */
const versionOf = async ({ store }: SessionStoreSubject, id: string): Promise<string> => {
  const session = await succeeds(store.find(id));
  check(session !== undefined, 'the session should exist');
  return session!.version;
};

const replaced = ({ store }: SessionStoreSubject, id: string, version: string, expiresInMs = minute) =>
  succeeds(store.replace(id, version, { value: `replaced ${id}`, expiresInMs }));

const gone = async (subject: SessionStoreSubject, ids: readonly string[]) => {
  for (const id of ids) equal(await valueOf(subject, id), undefined, 'a session that ended');
};

/** Ids that a store may confuse. */
const alike = (id: string) => [`${id}a`, `${id}A`, `${id}aa`, `a${id}`];

export const sessionStoreContract = contractSuite<SessionStoreSubject>('session store', {
  'returns what was stored': async (subject) => {
    const { store, fresh } = subject;
    for (const value of ['', 'eyJhbGciOiJkaXIifQ..a-b_c.d', '{"a": [1]}', 'x'.repeat(65_536)]) {
      const id = fresh();
      await succeeds(store.create(id, { value, labels: [], beganMsAgo: 0, expiresInMs: minute }));
      equal(await valueOf(subject, id), value, 'the value');
    }
    equal(await succeeds(store.find(fresh())), undefined, 'an unknown session');
  },
  'distinguishes ids that are alike': async (subject) => {
    const ids = alike(subject.fresh());
    for (const id of ids)
      await succeeds(subject.store.create(id, { value: `of ${id}`, labels: [], beganMsAgo: 0, expiresInMs: minute }));
    for (const id of ids) equal(await valueOf(subject, id), `of ${id}`, 'the value');
    await succeeds(subject.store.remove(ids[0]!));
    for (const id of ids.slice(1)) equal(await valueOf(subject, id), `of ${id}`, 'the value of another session');
  },
  'replaces a value with the version that was read': async (subject) => {
    const id = await created(subject);
    const version = await versionOf(subject, id);
    equal(await versionOf(subject, id), version, 'the version of the same value');
    equal(await replaced(subject, id, version), true, 'the first replacement');
    equal(await valueOf(subject, id), `replaced ${id}`, 'the value');
    check((await versionOf(subject, id)) !== version, 'another value should have another version');
    equal(await replaced(subject, id, await versionOf(subject, id)), true, 'the second replacement');
  },
  'refuses a replacement of an earlier version': async (subject) => {
    const id = await created(subject);
    const version = await versionOf(subject, id);
    await replaced(subject, id, version);
    equal(await replaced(subject, id, version), false, 'a replacement of an earlier version');
    const later = await versionOf(subject, id);
    equal(await replaced(subject, id, later), true, 'a replacement by the same value');
    equal(await replaced(subject, id, later), false, 'a replacement of an earlier version of the same value');
  },
  'lets one of several replacements of a version win': async (subject) => {
    const id = await created(subject);
    const version = await versionOf(subject, id);
    const all = await Promise.all(Array.from({ length: 5 }, () => replaced(subject, id, version)));
    equal(all.filter(Boolean).length, 1, 'the number of replacements');
  },
  'never brings a removed session back': async (subject) => {
    const { store, fresh } = subject;
    const label = fresh();
    const [one, other] = [await created(subject), await created(subject, [label])];
    const versions = [await versionOf(subject, one), await versionOf(subject, other)] as const;
    await succeeds(store.remove(one));
    await succeeds(store.removeLabelled(label));
    equal(await replaced(subject, one, versions[0]), false, 'a replacement of a removed session');
    equal(await replaced(subject, other, versions[1]), false, 'a replacement of a session removed by its label');
    await gone(subject, [one, other]);
    await succeeds(store.remove(one));
  },
  'never brings a session back that is removed while it is replaced': async (subject) => {
    for (let turn = 0; turn < 10; turn++) {
      const label = subject.fresh();
      const id = await created(subject, [label]);
      const version = await versionOf(subject, id);
      const remove = () =>
        turn % 2 === 0 ? succeeds(subject.store.removeLabelled(label)) : succeeds(subject.store.remove(id));
      const replace = () => replaced(subject, id, version);
      await Promise.all((turn < 5 ? [remove, replace] : [replace, remove]).map((call) => call()));
      await gone(subject, [id]);
    }
  },
  'removes every session of a label, and no other': async (subject) => {
    const { store, fresh } = subject;
    const [sid, member] = [fresh(), fresh()];
    const first = await created(subject, [sid, member]);
    const rest = [await created(subject, [fresh(), member]), await created(subject, [member])];
    const others = [await created(subject, [fresh(), `${member}0`]), await created(subject)];
    equal(await succeeds(store.removeLabelled(sid)), 1, 'the sessions of one sign-in');
    await gone(subject, [first]);
    for (const id of [...rest, ...others])
      check((await valueOf(subject, id)) !== undefined, 'a session without the label should remain');
    equal(await succeeds(store.removeLabelled(member)), 2, 'the remaining sessions of the member');
    equal(await succeeds(store.removeLabelled(member)), 0, 'the sessions of a label without sessions');
    await gone(subject, [first, ...rest]);
    for (const id of others) check((await valueOf(subject, id)) !== undefined, 'another session should remain');
  },
  'creates no session whose label was removed since its sign-in began': async (subject) => {
    const { store, fresh } = subject;
    const [sid, member, other] = [fresh(), fresh(), fresh()];
    await created(subject, [sid, member]);
    await succeeds(store.removeLabelled(sid));
    await succeeds(store.removeLabelled(other));
    for (const labels of [[sid, member], [member, sid], [other]])
      equal(await signedIn(subject, labels, minute), false, 'a session with a label that was removed');
    for (const labels of [[member, `${sid}0`], [sid.slice(0, -1)], []])
      equal(await signedIn(subject, labels, minute), true, 'a session without a label that was removed');
    const [id, signedOut] = [fresh(), fresh()];
    await succeeds(store.create(id, { value: 'v', labels: [signedOut], beganMsAgo: 0, expiresInMs: minute }));
    await succeeds(store.remove(id));
    equal(await signedIn(subject, [signedOut], minute), true, 'another session of a member who signed out');
  },
  'keeps no session that is created while its label is removed': async (subject) => {
    const { store, fresh } = subject;
    for (let turn = 0; turn < 10; turn++) {
      const [id, label] = [fresh(), fresh()];
      const remove = () => succeeds(store.removeLabelled(label));
      const create = () =>
        succeeds(store.create(id, { value: 'v', labels: [fresh(), label], beganMsAgo: minute, expiresInMs: minute }));
      await Promise.all((turn % 2 === 0 ? [remove, create] : [create, remove]).map((call) => call()));
      await gone(subject, [id]);
    }
  },
  'creates a session whose sign-in began after its label was removed': async (subject) => {
    const { store, fresh, pass } = subject;
    if (!pass) return;
    const label = fresh();
    await succeeds(store.removeLabelled(label));
    await pass(20_000);
    equal(await signedIn(subject, [label], 40_000), false, 'a session of a sign-in that began before');
    equal(await signedIn(subject, [label], 5000), true, 'a session of a sign-in that began after');
    await succeeds(store.removeLabelled(label));
    equal(await signedIn(subject, [label], minute), false, 'a session of a label that was removed again');
  },
  'remembers a removed label for as long as a sign-in may take': async (subject) => {
    const { store, fresh, pass } = subject;
    if (!pass) return;
    const label = fresh();
    await succeeds(store.removeLabelled(label));
    await pass(maxSignInMs - 2 * minute);
    equal(await signedIn(subject, [label], maxSignInMs - minute), false, 'a session of a long sign-in');
    equal(await signedIn(subject, [fresh()], maxSignInMs - minute), true, 'a session of a long sign-in without logout');
    equal(await signedIn(subject, [fresh()], maxSignInMs + 1), false, 'a session of a sign-in that took too long');
  },
  'finds a replaced session by its labels': async (subject) => {
    const labels = [subject.fresh(), subject.fresh()];
    const id = await created(subject, labels);
    await replaced(subject, id, await versionOf(subject, id));
    equal(await succeeds(subject.store.removeLabelled(labels[1]!)), 1, 'the sessions of the label');
    await gone(subject, [id]);
  },
  'ends a session when its time has passed': async (subject) => {
    const { store, fresh, pass } = subject;
    if (!pass) return;
    const label = fresh();
    const [short, long] = [await created(subject, [label], 10_000), await created(subject, [label], minute)];
    const version = await versionOf(subject, short);
    await pass(11_000);
    await gone(subject, [short]);
    equal(await replaced(subject, short, version), false, 'a replacement of an expired session');
    check((await valueOf(subject, long)) !== undefined, 'a session should last for as long as requested');
    equal(await succeeds(store.removeLabelled(label)), 1, 'the sessions of the label that have not expired');
  },
  'counts the time of a session from its last replacement': async (subject) => {
    const { store, fresh, pass } = subject;
    if (!pass) return;
    const label = fresh();
    const [longer, shorter] = [await created(subject, [label]), await created(subject, [label])];
    await pass(50_000);
    await replaced(subject, longer, await versionOf(subject, longer));
    await replaced(subject, shorter, await versionOf(subject, shorter), 5000);
    await pass(50_000);
    await gone(subject, [shorter]);
    check((await valueOf(subject, longer)) !== undefined, 'a replacement should extend the session');
    equal(
      await succeeds(store.removeLabelled(label)),
      1,
      'the sessions of a label that is older than their first time',
    );
    await gone(subject, [longer]);
  },
  'gives a lease to one of several callers': async ({ store, fresh }) => {
    const [id, other] = [fresh(), fresh()];
    const leases = await Promise.all(Array.from({ length: 5 }, () => succeeds(store.acquire(id, minute))));
    equal(leases.filter((lease) => lease !== undefined).length, 1, 'the number of leases');
    equal(await succeeds(store.acquire(id, minute)), undefined, 'a second lease');
    check((await succeeds(store.acquire(other, minute))) !== undefined, 'another id should get a lease');
  },
  'gives a lease again when it was released': async ({ store, fresh }) => {
    const id = fresh();
    const lease = (await succeeds(store.acquire(id, minute)))!;
    await succeeds(store.release(id, lease));
    const next = await succeeds(store.acquire(id, minute));
    check(next !== undefined, 'a released lease should be given again');
    await succeeds(store.release(id, lease));
    equal(await succeeds(store.acquire(id, minute)), undefined, 'a lease after the release of an earlier one');
  },
  'ends a lease when its time has passed, and not before': async ({ store, fresh, pass }) => {
    if (!pass) return;
    const id = fresh();
    const lease = (await succeeds(store.acquire(id, 10_000)))!;
    await pass(8000);
    equal(await succeeds(store.acquire(id, minute)), undefined, 'a lease while there is one');
    await pass(3000);
    const next = await succeeds(store.acquire(id, minute));
    check(next !== undefined, 'a lease should be given when the last one has ended');
    await succeeds(store.release(id, lease));
    equal(await succeeds(store.acquire(id, minute)), undefined, 'a lease after the release of an ended one');
  },
  'keeps a session when a lease of its id ends': async (subject) => {
    const id = await created(subject);
    const lease = await succeeds(subject.store.acquire(id, minute));
    check(lease !== undefined, 'the id of a session should get a lease');
    await succeeds(subject.store.release(id, lease!));
    check((await valueOf(subject, id)) !== undefined, 'the session should remain');
  },
  'fails while it is unavailable, and reports no session as missing': async (subject) => {
    const { store, fresh, fail } = subject;
    const id = await created(subject);
    const version = await versionOf(subject, id);
    equal(store.degradedReason, undefined, 'the degradedReason of a store that works');
    if (!fail) return;
    await fail();
    const content = { value: canary, expiresInMs: minute };
    const calls = {
      create: store.create(fresh(), { ...content, labels: [canary], beganMsAgo: 0 }),
      find: store.find(id),
      replace: store.replace(id, version, content),
      remove: store.remove(id),
      removeLabelled: store.removeLabelled(canary),
      acquire: store.acquire(id, minute),
    };
    for (const [name, call] of Object.entries(calls)) {
      const result = await call;
      const failure = result.isErr() ? result.error : undefined;
      check(failure?.kind === 'upstream' && failure.service === 'sessions', `${name} should fail with upstream`);
    }
  },
});
