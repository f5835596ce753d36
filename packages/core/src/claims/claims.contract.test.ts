import { err, errAsync, ok, okAsync } from 'neverthrow';
import { generalPromises } from '../contract/supervision.ts';
import { changing, failed, testSuite, type UnsafeAdapter } from '../contract/suite-test.test.support.ts';
import { showsInput, unsafeInEveryService } from '../contract/unsafe-adapters.test.support.ts';
import {
  applyingFirstParameter,
  asFirstMember,
  cachedByMember,
  emptyForQueries,
  failuresAsMissing,
  ignoringQuery,
  later,
  member,
  missingAsStatus,
  mixingMembers,
  other,
  unknown,
} from '../contract/unsafe-operations.test.support.ts';
import { notFound, upstream, upstreamStatus } from '../shared/failure.ts';
import { type Json, noContent, toJson } from '../shared/json/json.ts';
import { type ClaimsSubject, claimsContract } from './claims.contract.ts';
import { fakeClaims } from './claims.fake.ts';
import type { ClaimDraft, ClaimLocator, Claims } from './claims.port.ts';

/** Makes every response different. */
let reads = 0;

const subject = (): ClaimsSubject => {
  const claims = fakeClaims({ 'PTY-1': [{ locator: 'CLM-1', status: 'paid' }], 'PTY-2': [] });
  return {
    claims,
    member,
    claim: 'CLM-1' as ClaimLocator,
    other,
    unknown,
    unmatched: [['status', 'denied']],
    queries: [
      { query: [['status', 'paid']], isMatched: true },
      {
        query: [
          ['status', 'paid'],
          ['type', 'dental'],
        ],
        isMatched: false,
      },
    ],
    fail: (fault) => claims.failWith(failed('claims', fault)),
  };
};

const withClaims = changing<'claims', ClaimsSubject>('claims');

/** Caches claims by their locator only. */
const sharedCache = (claims: Claims): Partial<Claims> => {
  const cache = new Map<string, ReturnType<Claims['get']>>();
  return {
    get: (of, locator) => {
      const found = claims.get(of, locator).map((claim) => {
        cache.set(locator, okAsync(claim));
        return claim;
      });
      return cache.get(locator) ?? found;
    },
  };
};

const sharedKeys = (claims: Claims): Partial<Claims> => {
  const byKey = new Map<string, ReturnType<Claims['submit']>>();
  return {
    submit: (of, draft) => {
      const { idempotencyKey = '' } = draft;
      const filed = byKey.get(idempotencyKey) ?? claims.submit(of, draft);
      if (idempotencyKey !== '') byKey.set(idempotencyKey, filed);
      return filed;
    },
  };
};

/** Sends another idempotency key than the member. */
const withKeys = (change: (key: string) => string) =>
  withClaims(({ submit }) => ({
    submit: (of, draft) =>
      submit(of, {
        ...draft,
        ...(draft.idempotencyKey !== undefined && { idempotencyKey: change(draft.idempotencyKey) }),
      }),
  }));

/** Files the first draft of an idempotency key, also for another member who uses the same key. */
const sharedDrafts = ({ submit }: Claims): Partial<Claims> => {
  const byKey = new Map<string, ClaimDraft>();
  return {
    submit: (of, draft) => {
      const { idempotencyKey = '' } = draft;
      const first = byKey.get(idempotencyKey) ?? draft;
      if (idempotencyKey !== '') byKey.set(idempotencyKey, first);
      return submit(of, first);
    },
  };
};

/** Reports the draft that was submitted before as the content of the claim. */
const previousDraft = (claims: Claims): Partial<Claims> => {
  let previous: object | undefined;
  return {
    submit: (of, draft) =>
      claims.submit(of, draft).map(({ outcome, claim }) => {
        const { locator } = claim.value as { readonly locator: string };
        const shown = { ...(previous ?? (draft.value as object)), locator };
        previous = draft.value as object;
        return { outcome, claim: toJson(shown) };
      }),
  };
};

/** Looks an idempotency key up, and files the draft once the event loop has turned. */
const keysThatRace = (claims: Claims): Partial<Claims> => {
  const byKey = new Map<string, ReturnType<Claims['submit']>>();
  return {
    submit: (of, { idempotencyKey = '', ...draft }) => {
      const key = `${of.locator} ${idempotencyKey}`;
      const known = idempotencyKey === '' ? undefined : byKey.get(key);
      return (
        known ??
        later(() =>
          claims.submit(of, draft).map((filed) => {
            byKey.set(key, okAsync(filed));
            return filed;
          }),
        )
      );
    },
  };
};

/** Files a repeated idempotency key again, and reports the first claim. */
const hiddenDuplicates = (claims: Claims): Partial<Claims> => {
  const byKey = new Map<string, ReturnType<Claims['submit']>>();
  return {
    submit: (of, { idempotencyKey = '', ...draft }) => {
      const filed = claims.submit(of, draft);
      const key = `${of.locator} ${idempotencyKey}`;
      const first = byKey.get(key) ?? filed;
      if (idempotencyKey !== '') byKey.set(key, first);
      return first;
    },
  };
};

/** Accepts every draft for later. */
const accepting = (change: (claim: Json) => Json) =>
  withClaims(({ submit }) => ({
    submit: (of, draft) => submit(of, draft).map(({ claim }) => ({ outcome: 'accepted', claim: change(claim) })),
  }));

/** Files drafts that it accepts for the other member. */
const acceptingForOther = withClaims(({ submit }) => ({
  submit: (of, draft) =>
    submit(of === member ? other : member, draft).map(({ claim }) => ({ outcome: 'accepted', claim })),
}));

const unsafe: readonly UnsafeAdapter<ClaimsSubject>[] = [
  ...unsafeInEveryService<'claims', ClaimsSubject>('claims'),
  showsInput<'claims', ClaimsSubject>('claims'),
  [
    "sends another member's text",
    withClaims((claims) => ({
      get: (of, locator) => claims.get(of, locator).map((claim) => ({ ...claim, text: '{"locator":"CLM-2"}' })),
    })),
    generalPromises.json,
  ],
  [
    'files under an idempotency key of any member',
    withClaims(sharedKeys),
    'files the drafts of two members with the same idempotency key as two claims',
  ],
  [
    'files the draft of another member who used the same idempotency key',
    withClaims(sharedDrafts),
    'files the drafts of two members with the same idempotency key as two claims',
  ],
  [
    'ignores the query of a list',
    withClaims(({ list }) => ({ list: ignoringQuery(list) })),
    'applies the query of a list',
  ],
  [
    'fails with status 502 for a member it does not know',
    withClaims(({ get }) => ({ get: missingAsStatus('claims', get) })),
    'has nothing for an unknown member, and does not report that as a failure of the source',
  ],
  [
    "lists every member's claims",
    withClaims(({ list }) => ({ list: asFirstMember(list) })),
    "lists the member's own claims and no other member's",
  ],
  [
    "returns another member's claim",
    withClaims(({ get }) => ({ get: asFirstMember(get) })),
    'hides a claim that belongs to another member',
  ],
  [
    'mixes up members whose calls overlap',
    withClaims(({ list }) => ({ list: mixingMembers(list) })),
    generalPromises.members,
  ],
  ['caches claims without their member', withClaims(sharedCache), generalPromises.members],
  [
    'returns an empty claim instead of not-found',
    withClaims((claims) => ({ get: (of, locator) => claims.get(of, locator).orElse(() => okAsync(toJson({}))) })),
    'fails not-found for a claim that does not exist',
  ],
  [
    'reports a claim without filing it',
    withClaims(() => ({
      submit: (_, draft) =>
        okAsync({ outcome: 'created', claim: toJson({ ...(draft.value as object), locator: 'CLM-9' }) }),
    })),
    'files a submitted draft so that it can be read back',
  ],
  [
    'files a repeated idempotency key twice',
    withClaims((claims) => ({ submit: (of, { text, value }) => claims.submit(of, { text, value }) })),
    'files a draft once when it is submitted twice with the same idempotency key',
  ],
  [
    'files every draft for all members',
    withClaims((claims) => ({
      submit: (of, draft) =>
        claims.submit(of, draft).andTee(() => claims.submit(of === member ? other : member, draft)),
      get: (of, locator) => claims.get(of, locator).orElse(() => claims.get(member, locator)),
    })),
    'files a draft only for the member who submits it',
  ],
  [
    'files a draft that it accepts for another member',
    acceptingForOther,
    'files a draft only for the member who submits it',
  ],
  [
    'creates a claim without a locator',
    withClaims(({ submit }) => ({
      submit: (of, draft) => submit(of, draft).map((filed) => ({ ...filed, claim: noContent })),
    })),
    'files a submitted draft so that it can be read back',
  ],
  [
    'accepts drafts, and reports the same claim for all of them',
    accepting((claim) => toJson({ ...(claim.value as object), locator: 'CLM-NEW-1' })),
    'files two drafts with different idempotency keys as two claims',
  ],
  [
    'lists claims from an outdated cache',
    withClaims(({ list }) => ({ list: cachedByMember(list) })),
    'files a submitted draft so that it can be read back',
  ],
  [
    'files the first draft again, whatever the idempotency key',
    withClaims((claims) => {
      let first: ReturnType<Claims['submit']> | undefined;
      return { submit: (of, draft) => (first ??= claims.submit(of, draft)) };
    }),
    'files two drafts with different idempotency keys as two claims',
  ],
  [
    'cuts idempotency keys to 16 characters',
    withKeys((key) => key.slice(0, 16)),
    'files two drafts with different idempotency keys as two claims',
  ],
  [
    'cuts idempotency keys to 254 characters',
    withKeys((key) => key.slice(0, 254)),
    'files two drafts with different idempotency keys as two claims',
  ],
  [
    'ignores the case of idempotency keys',
    withKeys((key) => key.toLowerCase()),
    'files two drafts with different idempotency keys as two claims',
  ],
  [
    'files drafts for another member when calls overlap',
    withClaims(({ submit }) => ({ submit: mixingMembers(submit) })),
    'keeps the drafts of two members apart when they are submitted at the same time',
  ],
  [
    "reports another member's draft as the claim",
    withClaims(previousDraft),
    'keeps the drafts of two members apart when they are submitted at the same time',
  ],
  [
    'files an idempotency key twice when both calls overlap',
    withClaims(keysThatRace),
    'files a draft once when it is submitted twice at the same time with the same idempotency key',
  ],
  [
    'files a repeated idempotency key twice, but reports the first claim',
    withClaims(hiddenDuplicates),
    'files a draft once when it is submitted twice with the same idempotency key',
  ],
  [
    'applies only the first parameter of a query',
    withClaims(({ list }) => ({ list: applyingFirstParameter(list) })),
    'applies the query of a list',
  ],
  [
    'returns an empty list for every query',
    withClaims(({ list }) => ({ list: emptyForQueries(list, { claims: [] }) })),
    'applies the query of a list',
  ],
  [
    'reports a source that is down as not-found',
    withClaims(({ list }) => ({ list: failuresAsMissing('claims', list) })),
    'fails as unreachable when its source refuses connections',
  ],
  [
    'reports a source that does not respond as unreachable',
    withClaims((claims) => ({
      get: (of, locator) =>
        claims
          .get(of, locator)
          .orElse((failure) => err(failure.kind === 'upstream' ? upstream('claims', 'unreachable') : failure)),
    })),
    'fails as timeout when its source does not respond in time',
  ],
  [
    'returns an empty list for a response that is not JSON',
    withClaims((claims) => ({
      list: (of, query) =>
        claims
          .list(of, query)
          .orElse((failure) => (failure.kind === 'upstream' ? ok(toJson({ claims: [] })) : err(failure))),
    })),
    'fails as malformed when its source does not respond with JSON',
  ],
];

testSuite('claims', claimsContract, subject, unsafe, [
  [
    'formats JSON, in another order and with more fields',
    withClaims((claims) => ({
      get: (of, locator) =>
        claims.get(of, locator).map(({ value }) => {
          const shown = { readAt: ++reads, ...(value as object) };
          return { text: JSON.stringify(shown, null, 2), value: shown };
        }),
    })),
  ],
  [
    'responds only once the event loop has turned',
    withClaims((claims) => ({
      list: (...args) => later(() => claims.list(...args)),
      get: (...args) => later(() => claims.get(...args)),
    })),
  ],
  [
    'stores amounts as numbers',
    withClaims((claims) => ({
      get: (of, locator) =>
        claims.get(of, locator).map(({ value }) => {
          const { amount, ...claim } = value as { readonly amount?: string };
          return toJson({ ...claim, ...(amount !== undefined && { amount: Number(amount) }) });
        }),
    })),
  ],
  [
    'refuses an idempotency key that is in use',
    withClaims((claims) => {
      const inUse = new Set<string>();
      return {
        submit: (of, draft) => {
          const { idempotencyKey } = draft;
          const key = `${of.locator} ${idempotencyKey}`;
          if (idempotencyKey !== undefined && inUse.has(key)) return errAsync(upstreamStatus('claims', 409));
          inUse.add(key);
          return later(() => claims.submit(of, draft)).andTee(() => inUse.delete(key));
        },
      };
    }),
  ],
  ['accepts claims for later, without a locator', accepting(() => toJson({ status: 'accepted' }))],
  ['accepts claims for later, without content', accepting(() => noContent)],
  [
    'accepts claims that can be read only later',
    (good) =>
      accepting((claim) => claim)(
        withClaims(({ get, list }) => ({
          get: (of, locator) => (locator.startsWith('CLM-NEW') ? errAsync(notFound('claims')) : get(of, locator)),
          list: (of, query) =>
            list(of, query).map(({ value }) => {
              const { claims } = value as { readonly claims: readonly { readonly locator: string }[] };
              return toJson({ claims: claims.filter(({ locator }) => !locator.startsWith('CLM-NEW')) });
            }),
        }))(good),
      ),
  ],
  [
    'lists nothing at all for a member it does not know',
    withClaims((claims) => ({
      list: (of, query) => (of === unknown ? okAsync(toJson({ claims: [] })) : claims.list(of, query)),
    })),
  ],
]);
