import { err, errAsync, ok, okAsync } from 'neverthrow';
import { generalPromises } from '../contract/supervision.ts';
import {
  failed,
  later,
  mixingMembers,
  showsInput,
  testSuite,
  unsafeInEveryService,
} from '../contract/unsafe-adapters.test.support.ts';
import { preconditionFailed, upstreamStatus } from '../shared/failure.ts';
import { toJson } from '../shared/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { type ConsentSubject, consentContract } from './consent.contract.ts';
import { fakeConsent } from './consent.fake.ts';
import type { Consent } from './consent.port.ts';

const member = aMember('PTY-1', 'token.of.PTY-1');
const other = aMember('PTY-2', 'token.of.PTY-2');
const unknown = aMember('PTY-3', 'token.of.PTY-3');

/** Makes every response different. */
let reads = 0;

const subject = (): ConsentSubject => {
  const consent = fakeConsent({ 'PTY-1': { research: 'granted' }, 'PTY-2': { research: 'withdrawn' } });
  return { consent, member, other, unknown, fail: (fault) => consent.failWith(failed('consent', fault)) };
};

const withConsent =
  (change: (consent: Consent) => Partial<Consent>) =>
  (good: ConsentSubject): ConsentSubject => ({ ...good, consent: { ...good.consent, ...change(good.consent) } });

/** Shows every member the state that was stored last. */
const lastState = (consent: Consent): Partial<Consent> => {
  let last: ReturnType<Consent['replace']> | undefined;
  return {
    get: (of) => (of === unknown ? consent.get(of) : (last ?? consent.get(of))),
    replace: (of, state, ifMatch) => (last = consent.replace(of, state, ifMatch)),
  };
};

/** Keeps the first state that a member stores. */
const firstState = (consent: Consent): Partial<Consent> => {
  const stored = new Set<string>();
  return {
    replace: (of, state, ifMatch) => {
      if (stored.has(of.locator)) return okAsync(state);
      stored.add(of.locator);
      return consent.replace(of, state, ifMatch);
    },
  };
};

/** Returns the state that any member stored before as the result of a write. */
const previousState = (consent: Consent): Partial<Consent> => {
  let previous: Parameters<Consent['replace']>[1] | undefined;
  return {
    replace: (of, state, ifMatch) =>
      consent.replace(of, state, ifMatch).map((json) => {
        const shown = previous ?? json;
        previous = state;
        return shown;
      }),
  };
};

/** Compares the entity tag first, and writes once the event loop has turned. */
const racingWrites = (consent: Consent): Partial<Consent> => ({
  replace: (of, state, ifMatch) =>
    ifMatch === undefined
      ? consent.replace(of, state)
      : consent
          .get(of)
          .andThen(({ etag }) => (etag === ifMatch ? ok(state) : err(preconditionFailed('consent'))))
          .andThen(() => later(() => consent.replace(of, state))),
});

/** Changes every state that is read. */
const showing = (change: (value: object) => object) =>
  withConsent((consent) => ({
    get: (of) => consent.get(of).map(({ value, etag = '' }) => ({ ...toJson(change(value as object)), etag })),
  }));

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, reversed(inner)]);
  return Object.fromEntries(fields.toReversed());
};

testSuite<ConsentSubject>(
  'consent',
  consentContract,
  subject,
  [
    ...unsafeInEveryService<'consent', ConsentSubject>('consent'),
    showsInput<'consent', ConsentSubject>('consent'),
    [
      "returns one member's consent state to every member",
      withConsent((consent) => ({ get: () => consent.get(member) })),
      generalPromises.members,
    ],
    [
      'shows the last state to every member',
      withConsent(lastState),
      'returns the consent state to its own member only',
    ],
    ['keeps the first state', withConsent(firstState), 'replaces the whole consent state'],
    [
      'returns a consent state that is not an object',
      withConsent(() => ({ get: ({ locator }) => okAsync(toJson([locator])) })),
      "returns the member's own consent state",
    ],
    [
      'reports a consent state as stored without storing it',
      withConsent(() => ({ replace: (_, state) => okAsync(state) })),
      'stores a replaced consent state',
    ],
    [
      'ignores the entity tag of a write',
      withConsent((consent) => ({ replace: (of, state) => consent.replace(of, state) })),
      'rejects a write with an outdated entity tag',
    ],
    [
      'fails precondition-failed, but writes',
      withConsent((consent) => ({
        replace: (of, state, ifMatch) =>
          consent
            .replace(of, state, ifMatch)
            .orElse((failure) => consent.replace(of, state).andThen(() => errAsync(failure))),
      })),
      'rejects a write with an outdated entity tag',
    ],
    [
      "changes every member's consent state",
      withConsent((consent) => ({
        replace: (of, state, ifMatch) =>
          consent
            .replace(of, state, ifMatch)
            .andThen((json) => consent.replace(of === member ? other : member, state).map(() => json)),
      })),
      'does not change the consent of another member',
    ],
    [
      'fails with status 502 for an unknown member',
      withConsent((consent) => ({
        get: (of) => (of === unknown ? errAsync(upstreamStatus('consent', 404)) : consent.get(of)),
      })),
      'fails not-found for an unknown member',
    ],
    [
      'stores a consent state for an unknown member',
      withConsent((consent) => ({
        replace: (of, state, ifMatch) => (of === unknown ? okAsync(state) : consent.replace(of, state, ifMatch)),
      })),
      'fails not-found for an unknown member',
    ],
    [
      'reports consent as stored when its source does not respond',
      withConsent((consent) => ({
        replace: (of, state, ifMatch) =>
          consent
            .replace(of, state, ifMatch)
            .orElse((failure) => (failure.kind === 'upstream' ? okAsync(state) : errAsync(failure))),
      })),
      'fails as timeout when its source does not respond in time',
    ],
    [
      'stores consent for another member when calls overlap',
      withConsent((consent) => ({ replace: mixingMembers(consent.replace) })),
      'keeps the consent states of two members apart when they are stored at the same time',
    ],
    [
      "returns another member's consent state from a write",
      withConsent(previousState),
      'keeps the consent states of two members apart when they are stored at the same time',
    ],
    [
      'accepts entity tags that it has never sent',
      withConsent((consent) => ({
        replace: (of, state, ifMatch) => consent.replace(of, state, ifMatch === '"1"' ? ifMatch : undefined),
      })),
      'rejects a write with an entity tag that it has never sent',
    ],
    [
      'writes twice when two writes with the same entity tag overlap',
      withConsent(racingWrites),
      'accepts one of two writes at the same time with the same entity tag',
    ],
    [
      'merges consent states',
      withConsent((consent) => ({
        replace: (of, state, ifMatch) =>
          consent
            .get(of)
            .andThen(({ value }) =>
              consent.replace(of, toJson({ ...(value as object), ...(state.value as object) }), ifMatch),
            ),
      })),
      'replaces the whole consent state',
    ],
  ],
  [
    ['adds fields to what it stores', showing((value) => ({ ...value, version: ++reads }))],
    ['stores fields in another order', showing((value) => reversed(value) as object)],
  ],
);
