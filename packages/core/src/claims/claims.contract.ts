import { contractSuite, equal, failsAs, check, succeeds } from '../shared/contract.ts';
import { toJson } from '../shared/json.ts';
import type { Member } from '../shared/member.ts';
import { isObject } from '../shared/request-body.ts';
import type { ClaimLocator, Claims } from './claims.port.ts';

export interface ClaimsSubject {
  readonly claims: Claims;
  readonly member: Member;
  /** A claim of `member`. */
  readonly claim: ClaimLocator;
  /** Another member, to whom `claim` does not belong. */
  readonly other: Member;
}

export const claimsContract = contractSuite<ClaimsSubject>('claims', {
  "lists the member's own claims and no other member's": async ({ claims, member, claim, other }) => {
    check((await succeeds(claims.list(member, []))).text.includes(claim), "the member's claim is in the list");
    check(!(await succeeds(claims.list(other, []))).text.includes(claim), "the claim is not in another member's list");
  },
  'returns a claim by its locator': async ({ claims, member, claim }) => {
    const { value } = await succeeds(claims.get(member, claim));
    equal(isObject(value) && value['locator'], claim, "the claim's locator");
  },
  'hides a claim that belongs to another member': async ({ claims, other, claim }) => {
    await failsAs('not-found', claims.get(other, claim));
  },
  'fails not-found for a claim that does not exist': async ({ claims, member }) => {
    await failsAs('not-found', claims.get(member, 'CLM-NOT-THERE' as ClaimLocator));
  },
  'files a submitted draft so that it can be read back': async ({ claims, member }) => {
    const { claim } = await succeeds(claims.submit(member, toJson({ type: 'contract', amount: '12.50' })));
    const locator = isObject(claim.value) ? String(claim.value['locator']) : '';
    const { value } = await succeeds(claims.get(member, locator as ClaimLocator));
    equal(isObject(value) && value['amount'], '12.50', "the draft's amount");
  },
  'files a draft once when it is submitted twice with the same idempotency key': async ({ claims, member }) => {
    const draft = { ...toJson({ type: 'contract' }), idempotencyKey: 'contract-1' };
    const first = await succeeds(claims.submit(member, draft));
    equal(
      (await succeeds(claims.submit(member, draft))).claim.value,
      first.claim.value,
      'the claim of the second submission',
    );
  },
});
