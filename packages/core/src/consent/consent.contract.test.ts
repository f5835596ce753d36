import { okAsync } from 'neverthrow';
import { changing, failed, testSuite } from '../contract/suite-test.test.support.ts';
import { generalPromises } from '../contract/supervision.ts';
import { showsInput, unsafeInEveryService, unsafeVersions } from '../contract/unsafe-adapters.test.support.ts';
import {
  acceptingUnknownMembers,
  asFirstMember,
  doneWhenSourceFails,
  losingWrites,
  member,
  missingAsStatus,
  mixingMembers,
  other,
  reversed,
  showing,
  unknown,
  writingForBothMembers,
} from '../contract/unsafe-operations.test.support.ts';
import { type Json, toJson } from '../shared/json/json.ts';
import { type ConsentSubject, consentContract } from './consent.contract.ts';
import { fakeConsent } from './consent.fake.ts';
import type { Consent } from './consent.port.ts';

/** Makes every response different. */
let reads = 0;

const subject = (): ConsentSubject => {
  const consent = fakeConsent({ 'PTY-1': { research: 'granted' }, 'PTY-2': { research: 'withdrawn' } });
  return { consent, member, other, unknown, fail: (fault) => consent.failWith(failed('consent', fault)) };
};

const withConsent = changing<'consent', ConsentSubject>('consent');

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

testSuite<ConsentSubject>(
  'consent',
  consentContract,
  subject,
  [
    ...unsafeInEveryService<'consent', ConsentSubject>('consent'),
    showsInput<'consent', ConsentSubject>('consent'),
    ...unsafeVersions<ConsentSubject, Json>('write', 'consent', (change) =>
      withConsent(({ get, replace }) => ({ replace: change(get, replace) })),
    ),
    [
      "returns one member's consent state to every member",
      withConsent(({ get }) => ({ get: asFirstMember(get) })),
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
      withConsent(() => ({ replace: losingWrites() })),
      'replaces the whole consent state',
    ],
    [
      "changes every member's consent state",
      withConsent(({ replace }) => ({ replace: writingForBothMembers(replace) })),
      'does not change the consent of another member',
    ],
    [
      'fails with status 502 for an unknown member',
      withConsent(({ get }) => ({ get: missingAsStatus('consent', get) })),
      'fails not-found for an unknown member',
    ],
    [
      'stores a consent state for an unknown member',
      withConsent(({ replace }) => ({ replace: acceptingUnknownMembers(replace) })),
      'fails not-found for an unknown member',
    ],
    [
      'reports consent as stored when its source does not respond',
      withConsent(({ replace }) => ({ replace: doneWhenSourceFails(replace) })),
      'fails as timeout when its source does not respond in time',
    ],
    [
      'stores consent for another member when calls overlap',
      withConsent(({ replace }) => ({ replace: mixingMembers(replace) })),
      'keeps the consent states of two members apart when they are stored at the same time',
    ],
    [
      "returns another member's consent state from a write",
      withConsent(previousState),
      'keeps the consent states of two members apart when they are stored at the same time',
    ],
    [
      'stores only the first of several consents',
      withConsent(({ replace }) => ({
        replace: (of, { value }, ifMatch) => {
          const { consents = [], ...state } = value as { readonly consents?: readonly object[] };
          return replace(of, toJson({ ...state, consents: consents.slice(0, 1) }), ifMatch);
        },
      })),
      'replaces the whole consent state',
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
    [
      'adds fields to what it stores',
      withConsent(({ get }) => ({ get: showing((value) => ({ ...value, version: ++reads }))(get) })),
    ],
    ['stores fields in another order', withConsent(({ get }) => ({ get: showing(reversed)(get) }))],
  ],
);
