import type { TimelineStep } from '../../design/data/timeline.tsx';
import type { Texts } from '../../texts/en.ts';
import type { Format } from '../../texts/format.ts';
import { nameOf } from '../../texts/texts.tsx';
import type { Claim } from '../claim.ts';

/** The steps of a claim up to the decision. A date is shown only if the claims system sends it. */
export const stepsOf = (claim: Claim, texts: Texts['claims'], format: Format): readonly TimelineStep[] => {
  const { care, received } = texts.page.progress;
  const { serviceDates, receivedDate } = claim;
  const at = (date: string | null | undefined) => (date ? format.date(date) : undefined);
  const isNew = claim.status === 'received';
  return [
    ...(serviceDates?.from ? [{ title: care, at: at(serviceDates.from), state: 'done' } as const] : []),
    { title: received, at: at(receivedDate), state: isNew ? 'current' : 'done' },
    ...decisionOf(claim, texts, at),
  ];
};

const decisionOf = (
  { status, adjudicatedDate }: Claim,
  texts: Texts['claims'],
  at: (date: string | null | undefined) => string | undefined,
): readonly TimelineStep[] => {
  const progress = texts.page.progress;
  const decided = at(adjudicatedDate);
  if (status === 'denied') return [{ title: progress.denied, at: decided, state: 'failed' }];
  if (status === 'paid')
    return [
      ...(decided === undefined ? [] : [{ title: progress.processed, at: decided, state: 'done' } as const]),
      { title: progress.paid, state: 'done' },
    ];
  const decision = { title: progress.decision, state: 'upcoming' } as const;
  if (status === 'received') return [{ title: progress.review, state: 'upcoming' }, decision];
  if (decided !== undefined) return [{ title: progress.processed, at: decided, state: 'done' }];
  const current = status === undefined ? progress.review : nameOf(texts.statuses, status);
  return [{ title: current, state: 'current' }, decision];
};
