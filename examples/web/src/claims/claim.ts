import type { Claim as DocumentedClaim } from '@portico/client';
import type { Tone } from '../design/tag.tsx';
import type { Texts } from '../texts/en.ts';
import { nameOf } from '../texts/texts.tsx';

/** A claim, as the claims system sends it: every field may be missing. */
export interface Claim extends DocumentedClaim {
  /** The billed amount of a claim that a member submitted with this name. */
  readonly amount?: number;
}

export const statuses = ['received', 'in-review', 'paid', 'denied'] as const;

export type Status = (typeof statuses)[number];

const tones: Readonly<Record<Status, Tone>> = { received: 'info', 'in-review': 'info', paid: 'good', denied: 'bad' };

export const toneOf = (status: string | undefined): Tone =>
  statuses.some((known) => known === status) ? tones[status as Status] : 'neutral';

/** Who was paid, or the kind of care if that is not known yet: a member may submit a claim without a provider. */
export const nameOfClaim = ({ provider, type }: Claim, texts: Texts['claimNames']): string =>
  provider?.name ?? (type === undefined ? texts.claim : texts.ofKind(nameOf(texts.kinds, type)));

/** The first day of the care, or else the day on which the claim arrived. */
export const dateOf = ({ serviceDates, receivedDate }: Claim): string | undefined =>
  serviceDates?.from ?? receivedDate ?? undefined;

export const billedOf = ({ billedAmount, amount }: Claim): number | undefined => billedAmount ?? amount;

/** The confirmation of a submission. It has no locator in its URL, because there may be none yet. */
export const submittedPath = '/claims/new/submitted';
