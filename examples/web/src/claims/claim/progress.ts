import type { TimelineStep } from '../../design/data/timeline.tsx';
import type { Texts } from '../../texts/en.ts';
import type { Format } from '../../texts/format.ts';
import { nameOf } from '../../texts/texts.tsx';
import type { Claim } from '../claim.ts';

type ProgressTexts = Pick<Texts, 'claims' | 'claimNames'>;

/** The steps of a claim up to the decision. A date is shown only if the claims system sends it. */
export const stepsOf = (claim: Claim, texts: ProgressTexts, format: Format): readonly TimelineStep[] => {
  const { care, received } = texts.claims.page.progress;
  const { serviceDates, receivedDate } = claim;
  const isNew = claim.status === 'received';
  return [
    ...(serviceDates?.from ? [{ title: care, at: format.date(serviceDates.from), state: 'done' } as const] : []),
    { title: received, at: receivedDate ? format.date(receivedDate) : undefined, state: isNew ? 'current' : 'done' },
    ...decisionOf(claim, texts, format),
  ];
};

const decisionOf = (
  { status, adjudicatedDate, planPaidAmount, currency }: Claim,
  texts: ProgressTexts,
  format: Format,
): readonly TimelineStep[] => {
  const progress = texts.claims.page.progress;
  const decided = adjudicatedDate ? format.date(adjudicatedDate) : undefined;
  if (status === 'denied') return [{ title: progress.denied, at: decided, state: 'failed' }];
  if (status === 'paid')
    return [
      ...(decided === undefined ? [] : [{ title: progress.processed, at: decided, state: 'done' } as const]),
      {
        title: progress.paid,
        state: 'done',
        ...(typeof planPaidAmount === 'number' && {
          details: progress.planPaid(format.money(planPaidAmount, currency)),
        }),
      },
    ];
  const decision = { title: progress.decision, state: 'upcoming' } as const;
  if (status === 'received') return [{ title: progress.review, state: 'upcoming' }, decision];
  if (decided !== undefined) return [{ title: progress.processed, at: decided, state: 'done' }];
  const current = status === undefined ? progress.review : nameOf(texts.claimNames.statuses, status);
  return [{ title: current, state: 'current' }, decision];
};
