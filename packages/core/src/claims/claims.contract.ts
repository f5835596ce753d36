import { failingSourcePromises, type FailingSource } from '../contract/failing-source.ts';
import { canary } from '../contract/supervision.ts';
import { check, equal, failsAs, isListed, succeeds } from '../contract/assertions.ts';
import { contractSuite } from '../contract/contract-suite.ts';
import type { ListQuery } from '../shared/list-query.ts';
import type { Member } from '../shared/member.ts';
import { isObject, type Json, toJson } from '../shared/json/json.ts';
import type { ClaimDraft, ClaimLocator, Claims, Submission } from './claims.port.ts';

export interface ClaimsSubject extends FailingSource {
  readonly claims: Claims;
  readonly member: Member;
  /** A claim of `member`. */
  readonly claim: ClaimLocator;
  /** Another member, to whom `claim` does not belong, and who may submit claims. */
  readonly other: Member;
  /** A member who does not exist in the claims system. */
  readonly unknown: Member;
  /** A query of the list that the claims system supports, and that `claim` does not match. */
  readonly unmatched: ListQuery;
  /** More queries that the claims system supports, such as of several parameters, and whether `claim` matches them. */
  readonly queries?: readonly { readonly query: ListQuery; readonly isMatched: boolean }[];
}

const draftOf = (amount: string, idempotencyKey?: string): ClaimDraft => ({
  ...toJson({ type: 'contract', amount, note: canary }),
  ...(idempotencyKey !== undefined && { idempotencyKey }),
});

const keyOf = (name: string) => `${canary}-${name}`;

/** A key of 255 characters, the longest one that a member can send. */
const longKeyOf = (last: string) => keyOf(last.padStart(254 - canary.length, '-'));

/** Pairs of different keys. A system may cut keys, or ignore case. */
const differentKeys = [
  [keyOf('1'), keyOf('2')],
  [longKeyOf('1'), longKeyOf('2')],
  [keyOf('key'), keyOf('KEY')],
] as const;

const fieldOf = ({ value }: Json, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** A submitted draft. One that is only accepted may have no locator yet (contract, section 2). */
interface Filed {
  readonly outcome: Submission['outcome'];
  readonly locator: ClaimLocator | undefined;
  readonly claim: Json;
}

/** Submits a draft. A claim that was created has a locator. */
const file = async (claims: Claims, member: Member, draft: ClaimDraft): Promise<Filed> => {
  const { outcome, claim } = await succeeds(claims.submit(member, draft));
  const locator = fieldOf(claim, 'locator');
  const hasNone = outcome === 'accepted' && locator === undefined;
  check(hasNone || (typeof locator === 'string' && locator !== ''), 'the claim that was filed has a locator');
  return { outcome, locator: locator as ClaimLocator | undefined, claim };
};

const isFound = async (claims: Claims, member: Member, locator: ClaimLocator): Promise<boolean> =>
  (await claims.get(member, locator)).match(
    () => true,
    (failure) => failure.kind !== 'not-found',
  );

/** Returns a claim that was filed; undefined if it is accepted and cannot be read yet. */
const readBack = async (claims: Claims, member: Member, { outcome, locator }: Filed): Promise<Json | undefined> => {
  if (locator === undefined) return undefined;
  if (outcome === 'accepted' && !(await isFound(claims, member, locator))) return undefined;
  return succeeds(claims.get(member, locator));
};

/** Whether two drafts were filed as two claims, as far as it is known. */
const isOther = (one: Filed, another: Filed): boolean => one.locator === undefined || one.locator !== another.locator;

/** The amount of a claim with two decimals. A claims system may store it as a number. */
const amountIn = (claim: Json): unknown => {
  const amount = fieldOf(claim, 'amount');
  return typeof amount === 'number' ? amount.toFixed(2) : amount;
};

/** Checks the amount of a claim that was filed, if it can be read. */
const hasAmount = async (claims: Claims, member: Member, filed: Filed, amount: string, what: string): Promise<void> => {
  const claim = await readBack(claims, member, filed);
  if (claim) equal(amountIn(claim), amount, what);
};

/** The number of entries of all arrays in the member's list. */
const entriesOf = async (claims: Claims, member: Member): Promise<number> =>
  countEntries((await succeeds(claims.list(member, []))).value);

const countEntries = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: readonly unknown[] = Object.values(value);
  return inner.reduce<number>((sum, one) => sum + countEntries(one), Array.isArray(value) ? value.length : 0);
};

export const claimsContract = contractSuite<ClaimsSubject>(
  'claims',
  {
    "lists the member's own claims and no other member's": async ({ claims, member, claim, other }) => {
      check((await succeeds(claims.list(member, []))).text.includes(claim), "the member's claim is in the list");
      check(!(await isListed(claims.list(other, []), claim)), "the claim is not in another member's list");
    },
    'applies the query of a list': async ({ claims, member, claim, unmatched, queries = [] }) => {
      check(
        !(await succeeds(claims.list(member, unmatched))).text.includes(claim),
        'a claim that the query excludes is not in the list',
      );
      for (const { query, isMatched } of queries) {
        const { text } = await succeeds(claims.list(member, query));
        check(text.includes(claim) === isMatched, 'exactly the claims that match each query are in the list');
      }
    },
    'returns a claim by its locator': async ({ claims, member, claim }) => {
      equal(fieldOf(await succeeds(claims.get(member, claim)), 'locator'), claim, "the claim's locator");
    },
    'hides a claim that belongs to another member': async ({ claims, member, other, claim }) => {
      await failsAs('not-found', claims.get(other, claim));
      await succeeds(claims.get(member, claim));
      await failsAs('not-found', claims.get(other, claim));
    },
    'fails not-found for a claim that does not exist': async ({ claims, member }) => {
      await failsAs('not-found', claims.get(member, `CLM-${canary}` as ClaimLocator));
    },
    'has nothing for an unknown member, and does not report that as a failure of the source': async (subject) => {
      const { claims, claim, unknown } = subject;
      await failsAs('not-found', claims.get(unknown, claim));
      const listed = await claims.list(unknown, []);
      if (listed.isErr()) await failsAs('not-found', claims.list(unknown, []));
      else check(!listed.value.text.includes(claim), "another member's claim is not in the list");
    },
    'files a submitted draft so that it can be read back': async ({ claims, member }) => {
      // A list that was read before must not hide the claim.
      await succeeds(claims.list(member, []));
      const filed = await file(claims, member, draftOf('12.50'));
      const claim = await readBack(claims, member, filed);
      if (!claim || filed.locator === undefined) return;
      equal(amountIn(claim), '12.50', "the draft's amount");
      check(await isListed(claims.list(member, []), filed.locator), 'the claim that was filed is in the list');
    },
    'files a draft only for the member who submits it': async ({ claims, member, other }) => {
      const { locator } = await file(claims, member, draftOf('12.50'));
      if (locator === undefined) return;
      await failsAs('not-found', claims.get(other, locator));
      check(!(await isListed(claims.list(other, []), locator)), "the claim is not in another member's list");
    },
    'files two drafts with different idempotency keys as two claims': async ({ claims, member }) => {
      for (const [one, another] of differentKeys) {
        const first = await file(claims, member, draftOf('12.50', one));
        const second = await file(claims, member, draftOf('99.00', another));
        check(isOther(first, second), 'the two claims have different locators');
        await hasAmount(claims, member, first, '12.50', "the first draft's amount");
        await hasAmount(claims, member, second, '99.00', "the second draft's amount");
      }
    },
    'files a draft once when it is submitted twice with the same idempotency key': async ({ claims, member }) => {
      const draft = draftOf('12.50', keyOf('1'));
      const first = await succeeds(claims.submit(member, draft));
      const before = await entriesOf(claims, member);
      equal(
        (await succeeds(claims.submit(member, draft))).claim.value,
        first.claim.value,
        'the claim of the second submission',
      );
      equal(await entriesOf(claims, member), before, 'the number of entries of the list after the second submission');
    },
    'files a draft once when it is submitted twice at the same time with the same idempotency key': async (subject) => {
      const { claims, member } = subject;
      const draft = draftOf('12.50', keyOf('1'));
      const submitted = await Promise.all([claims.submit(member, draft), claims.submit(member, draft)]);
      // A system may refuse a key while its first submission is in progress.
      const filed = submitted.flatMap((result) => (result.isOk() ? [fieldOf(result.value.claim, 'locator')] : []));
      check(filed.length > 0, 'one of the submissions succeeds');
      check(new Set(filed).size === 1, 'both submissions have the same claim');
    },
    'keeps the drafts of two members apart when they are submitted at the same time': async (subject) => {
      const { claims, member, other } = subject;
      const submissions = [
        [member, '12.50'],
        [other, '99.00'],
      ] as const;
      const filed = await Promise.all(submissions.map(async ([of, amount]) => file(claims, of, draftOf(amount))));
      for (const [nth, [of, amount]] of submissions.entries()) {
        equal(amountIn(filed[nth]!.claim) ?? amount, amount, 'the amount of the claim that was filed');
        await hasAmount(claims, of, filed[nth]!, amount, 'the amount read back');
      }
    },
    'files the drafts of two members with the same idempotency key as two claims': async (subject) => {
      const { claims, member, other } = subject;
      const own = await file(claims, member, draftOf('12.50', keyOf('1')));
      const others = await file(claims, other, draftOf('99.00', keyOf('1')));
      check(isOther(own, others), 'the two claims have different locators');
      await hasAmount(claims, other, others, '99.00', "the amount of the other member's claim");
      await hasAmount(claims, member, own, '12.50', "the amount of the member's claim");
    },
    ...failingSourcePromises<ClaimsSubject>('claims', ({ claims, member, claim }) => [
      () => claims.list(member, []),
      () => claims.get(member, claim),
      () => claims.submit(member, draftOf('12.50')),
    ]),
  },
  { reads: ['list', 'get'], secrets: ({ claim }) => [claim] },
);
