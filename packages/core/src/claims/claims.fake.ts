import { type ByMember, type Fails, failOnDemand, itemOf, recordOf, select } from '../shared/fake.ts';
import { toJson } from '../shared/json/json.ts';
import type { ClaimDraft, Claims } from './claims.port.ts';

type Claim = { readonly locator: string } & Readonly<Record<string, unknown>>;

export type FakeClaims = Claims & Fails;

/** Stores submitted drafts as `CLM-NEW-1`, `CLM-NEW-2`, …, and files a repeated idempotency key once. A claim's date is `serviceDates.from`. */
export const fakeClaims = (members: ByMember<readonly Claim[]> = {}): FakeClaims => {
  const { respond, ...failing } = failOnDemand();
  const records = new Map(Object.entries(members));
  const byKey = new Map<string, Claim>();
  let filed = 0;
  const file = ({ value }: ClaimDraft): Claim => ({
    ...(value as object),
    locator: `CLM-NEW-${++filed}`,
    status: 'received',
  });
  return {
    ...failing,
    list: (member, query) =>
      respond(() =>
        recordOf('claims', records, member).map((own) => toJson({ claims: select(own, query, 'serviceDates.from') })),
      ),
    get: (member, locator) => respond(() => itemOf('claims', records, member, locator).map(toJson)),
    submit: (member, draft) =>
      respond(() =>
        recordOf('claims', records, member).map((own) => {
          const key = draft.idempotencyKey && `${member.locator} ${draft.idempotencyKey}`;
          const repeated = key && byKey.get(key);
          if (repeated) return { outcome: 'created', claim: toJson(repeated) };
          const claim = file(draft);
          records.set(member.locator, [claim, ...own]);
          if (key) byKey.set(key, claim);
          return { outcome: 'created', claim: toJson(claim) };
        }),
      ),
  };
};
