import { okAsync } from 'neverthrow';
import { changing, testSuite } from '../contract/suite-test.test.support.ts';
import { unsafeInEveryPort } from '../contract/unsafe-adapters.test.support.ts';
import { fakeClock } from '../runtime/clock.fake.ts';
import { unauthenticated, upstream } from '../shared/failure.ts';
import { type SessionStoreSubject, sessionStoreContract } from './session-store.contract.ts';
import { fakeSessionStore } from './session-store.fake.ts';

let count = 0;

const subject = () => {
  const clock = fakeClock();
  const store = fakeSessionStore(clock);
  return {
    store,
    fresh: () => `id${++count}`,
    pass: async (ms: number) => clock.advance(ms),
    fail: async () => store.failWith(upstream('sessions', 'unreachable')),
  };
};

const unlabelled = { labels: [], beganMsAgo: 0 };

const store = changing<'store', SessionStoreSubject>('store');

testSuite<SessionStoreSubject>('session store', sessionStoreContract, subject, [
  ...unsafeInEveryPort<'store', SessionStoreSubject>('store'),
  [
    'cuts long values',
    store(({ create }) => ({
      create: (id, session) => create(id, { ...session, value: session.value.slice(0, 4096) }),
    })),
    'returns what was stored',
  ],
  [
    'ignores the case of ids',
    store(({ create, find, remove }) => ({
      create: (id, session) => create(id.toLowerCase(), session),
      find: (id) => find(id.toLowerCase()),
      remove: (id) => remove(id.toLowerCase()),
    })),
    'distinguishes ids that are alike',
  ],
  [
    'keeps the version of a replaced session',
    store(({ find, replace }) => ({
      find: (id) => find(id).map((session) => session && { ...session, version: '1' }),
      replace: (id, _, content) =>
        find(id).andThen((session) => (session ? replace(id, session.version, content) : okAsync(false))),
    })),
    'refuses a replacement of an earlier version',
  ],
  [
    'derives the version from the value',
    store(({ find, replace }) => ({
      find: (id) => find(id).map((session) => session && { ...session, version: session.value }),
      replace: (id, version, content) =>
        find(id).andThen((session) =>
          session?.value === version ? replace(id, session.version, content) : okAsync(false),
        ),
    })),
    'refuses a replacement of an earlier version',
  ],
  [
    'reads, compares and replaces in several steps',
    store(({ find, create }) => ({
      replace: (id, version, content) =>
        find(id).andThen((session) =>
          session?.version === version ? create(id, { ...content, ...unlabelled }) : okAsync(false),
        ),
    })),
    'never brings a session back that is removed while it is replaced',
  ],
  [
    'lets several replacements of a version win',
    store(({ find, create }) => ({
      replace: (id, version, content) =>
        find(id).andThen((session) =>
          session?.version === version ? create(id, { ...content, ...unlabelled }) : okAsync(false),
        ),
    })),
    'lets one of several replacements of a version win',
  ],
  [
    'creates a session that does not exist when it is replaced',
    store(({ find, create, replace }) => ({
      replace: (id, version, content) =>
        find(id).andThen((session) =>
          session ? replace(id, version, content) : create(id, { ...content, ...unlabelled }),
        ),
    })),
    'never brings a removed session back',
  ],
  [
    'removes only one session of a label',
    store(({ create, removeLabelled }) => {
      const last = new Map<string, string>();
      return {
        create: (id, session) => {
          for (const label of session.labels) last.set(label, id);
          return create(id, { ...session, labels: session.labels.map((label) => `${label} ${id}`) });
        },
        removeLabelled: (label) => removeLabelled(`${label} ${last.get(label)}`),
      };
    }),
    'removes every session of a label, and no other',
  ],
  [
    'finds sessions by the beginning of a label',
    store(({ create, removeLabelled }) => ({
      create: (id, session) =>
        create(id, { ...session, labels: session.labels.flatMap((label) => [label, label.slice(0, -1)]) }),
      removeLabelled,
    })),
    'removes every session of a label, and no other',
  ],
  [
    'counts sessions that were removed before',
    store(({ removeLabelled }) => ({ removeLabelled: (label) => removeLabelled(label).map((ended) => ended + 1) })),
    'removes every session of a label, and no other',
  ],
  [
    'forgets the labels that were removed',
    store(({ create }) => ({ create: (id, session) => create(id, { ...session, beganMsAgo: -1 }) })),
    'creates no session whose label was removed since its sign-in began',
  ],
  [
    'forgets a removed label that no session had',
    store(({ create, removeLabelled }) => {
      const removed = new Set<string>();
      return {
        removeLabelled: (label) => removeLabelled(label).map((ended) => (ended > 0 && removed.add(label), ended)),
        create: (id, session) =>
          create(id, session.labels.some((label) => removed.has(label)) ? session : { ...session, beganMsAgo: -1 }),
      };
    }),
    'creates no session whose label was removed since its sign-in began',
  ],
  [
    'remembers the labels of a session that was signed out',
    store(({ create, remove, removeLabelled }) => {
      const labels = new Map<string, string>();
      return {
        create: (id, session) => (labels.set(id, session.labels[0] ?? id), create(id, session)),
        remove: (id) => remove(id).andThen(() => removeLabelled(labels.get(id) ?? id).map(() => {})),
      };
    }),
    'creates no session whose label was removed since its sign-in began',
  ],
  [
    'reports a session as created that it refused',
    store(({ create }) => ({ create: (id, session) => create(id, session).map(() => true) })),
    'creates no session whose label was removed since its sign-in began',
  ],
  [
    'reads the removed labels, and creates, in several steps',
    store(({ create, remove }) => ({
      create: (id, session) =>
        create(`${id} `, session).andThen((isCreated) =>
          isCreated ? remove(`${id} `).andThen(() => create(id, { ...session, beganMsAgo: -1 })) : okAsync(false),
        ),
    })),
    'keeps no session that is created while its label is removed',
  ],
  [
    'refuses each sign-in after a label was removed',
    store(({ create }) => ({
      create: (id, session) => create(id, { ...session, beganMsAgo: session.beganMsAgo + 60_000 }),
    })),
    'creates a session whose sign-in began after its label was removed',
  ],
  [
    'forgets a removed label after a minute',
    (good) => {
      let passed = 0;
      return store(({ create }) => ({
        create: (id, session) => create(id, passed > 60_000 ? { ...session, beganMsAgo: -1 } : session),
      }))({
        ...good,
        pass: async (ms) => {
          passed += ms;
          await good.pass?.(ms);
        },
      });
    },
    'remembers a removed label for as long as a sign-in may take',
  ],
  [
    'creates a session after a sign-in of any length',
    store(({ create }) => ({
      create: (id, session) => create(id, { ...session, beganMsAgo: Math.min(session.beganMsAgo, 60_000) }),
    })),
    'remembers a removed label for as long as a sign-in may take',
  ],
  [
    'forgets the labels of a replaced session',
    store(({ find, create, remove, replace }) => ({
      replace: (id, version, content) =>
        replace(id, version, content).andThen((isReplaced) =>
          isReplaced
            ? remove(id)
                .andThen(() => create(id, { ...content, ...unlabelled }))
                .andThen(() => find(id))
                .map(() => true)
            : okAsync(false),
        ),
    })),
    'finds a replaced session by its labels',
  ],
  [
    'never ends a session',
    store(({ create }) => ({ create: (id, session) => create(id, { ...session, expiresInMs: 1e12 }) })),
    'ends a session when its time has passed',
  ],
  [
    'keeps the time of a replaced session',
    (good) => {
      let passed = 0;
      return store(({ replace }) => ({
        replace: (id, version, content) =>
          replace(id, version, { ...content, expiresInMs: content.expiresInMs - passed }),
      }))({
        ...good,
        pass: async (ms) => {
          passed += ms;
          await good.pass?.(ms);
        },
      });
    },
    'counts the time of a session from its last replacement',
  ],
  [
    'forgets a label when the first time of its sessions has passed',
    (good) => {
      let passed = 0;
      return store(({ removeLabelled }) => ({
        removeLabelled: (label) => (passed > 60_000 ? okAsync(0) : removeLabelled(label)),
      }))({
        ...good,
        pass: async (ms) => {
          passed += ms;
          await good.pass?.(ms);
        },
      });
    },
    'counts the time of a session from its last replacement',
  ],
  [
    'gives a lease to every caller',
    store(() => ({ acquire: () => okAsync('lease') })),
    'gives a lease to one of several callers',
  ],
  [
    'has one lease for all sessions',
    store(({ acquire }) => ({ acquire: (_, leaseMs) => acquire('all', leaseMs) })),
    'gives a lease to one of several callers',
  ],
  [
    'never gives a lease again',
    store(() => ({ release: () => okAsync() })),
    'gives a lease again when it was released',
  ],
  [
    'releases the lease of another caller',
    store(({ acquire, release }) => {
      const held = new Map<string, string>();
      return {
        acquire: (id, leaseMs) => acquire(id, leaseMs).map((lease) => (lease && held.set(id, lease), lease)),
        release: (id) => release(id, held.get(id) ?? ''),
      };
    }),
    'gives a lease again when it was released',
  ],
  [
    'keeps a lease for ever',
    store(({ acquire }) => ({ acquire: (id) => acquire(id, 1e12) })),
    'ends a lease when its time has passed, and not before',
  ],
  [
    'ends a lease too early',
    store(({ acquire }) => ({ acquire: (id, leaseMs) => acquire(id, leaseMs / 2) })),
    'ends a lease when its time has passed, and not before',
  ],
  [
    'stores leases as sessions',
    store(({ release, remove }) => ({ release: (id, lease) => release(id, lease).andThen(() => remove(id)) })),
    'keeps a session when a lease of its id ends',
  ],
  [
    'reports a session as missing while it is unavailable',
    store(({ find }) => ({ find: (id) => find(id).orElse(() => okAsync(undefined)) })),
    'fails while it is unavailable, and reports no session as missing',
  ],
  [
    'reports that the member is signed out while it is unavailable',
    store(({ find }) => ({ find: (id) => find(id).mapErr(() => unauthenticated('missing')) })),
    'fails while it is unavailable, and reports no session as missing',
  ],
  [
    'shows a value in a failure',
    store(({ replace }) => ({
      replace: (id, version, content) =>
        replace(id, version, content).mapErr((failure) => ({ ...failure, detail: content.value })),
    })),
    'keeps locators, tokens, URLs and bodies out of its failures',
  ],
]);
