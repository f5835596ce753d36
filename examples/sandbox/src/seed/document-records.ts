import type { SeedClaim } from './adjudication.ts';
import type { Holder } from './pdf/pdf.ts';
import { eobPdf } from './pdf/pdf-eob.ts';
import { idCardPdf } from './pdf/pdf-id-card.ts';
import { policyPdf } from './pdf/pdf-policy.ts';

export type SeedDocument = {
  readonly locator: string;
  readonly type: 'eob' | 'policy' | 'id-card';
  readonly title: string;
  readonly date: string;
  readonly claimLocator?: string;
  readonly fileName: string;
  readonly pdf: Uint8Array;
  readonly lastModified: string;
};

/** An EOB for each adjudicated claim, newest first, then the ID card and the policy. */
export const documentsOf = (holder: Holder, claims: readonly SeedClaim[]): Promise<readonly SeedDocument[]> =>
  Promise.all([...claims.flatMap((claim) => eob(holder, claim)), idCard(holder), policy(holder)]);

const eob = (holder: Holder, claim: SeedClaim): readonly Promise<SeedDocument>[] =>
  claim.eobDocumentLocator === null || claim.adjudicatedDate === null
    ? []
    : [
        withPdf(eobPdf(holder, claim), {
          locator: claim.eobDocumentLocator,
          type: 'eob',
          title: `Explanation of benefits, ${claim.provider.name}`,
          date: claim.adjudicatedDate,
          claimLocator: claim.locator,
          fileName: `explanation-of-benefits-${claim.locator}.pdf`,
        }),
      ];

const idCard = (holder: Holder): Promise<SeedDocument> =>
  withPdf(idCardPdf(holder), {
    locator: holder.profile.partyLocator.replace(/^PTY-/, 'DOC-IDC-'),
    type: 'id-card',
    title: 'ID card',
    date: holder.coverage.effectiveDate,
    fileName: `id-card-${holder.coverage.memberId}.pdf`,
  });

const policy = (holder: Holder): Promise<SeedDocument> =>
  withPdf(policyPdf(holder), {
    locator: holder.profile.partyLocator.replace(/^PTY-/, 'DOC-POL-'),
    type: 'policy',
    title: `Policy document, ${holder.coverage.plan.name}`,
    date: holder.coverage.effectiveDate,
    fileName: `policy-${holder.coverage.plan.code}.pdf`,
  });

const withPdf = async (
  pdf: Promise<Uint8Array>,
  about: Omit<SeedDocument, 'pdf' | 'lastModified'>,
): Promise<SeedDocument> => ({
  ...about,
  pdf: await pdf,
  lastModified: new Date(about.date).toUTCString(),
});
