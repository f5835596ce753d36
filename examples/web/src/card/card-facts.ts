import type { Coverage } from '@portico/client';
import type { Format } from '../texts/format.ts';
import type { Texts } from '../texts/en.ts';

/** A label and its value. */
export type Fact = readonly [label: string, value: string];

/** Leaves out what the service did not send. */
const known = (facts: readonly (readonly [string, string | null | undefined])[]): readonly Fact[] =>
  facts.flatMap(([label, value]) => (value ? [[label, value] as const] : []));

/** Who the card is for. The coverage has only the name of the subscriber: the member may be a dependent. */
export const holderOf = (
  { subscriber }: Coverage,
  member: string | undefined,
  texts: Texts['card'],
): readonly Fact[] => {
  const { name, relationship = 'self' } = subscriber ?? {};
  return relationship === 'self'
    ? known([[texts.member, name ?? member]])
    : known([
        [texts.member, member],
        [texts.subscriber, name],
      ]);
};

/** The plan on the front of the card, below the member's id. */
export const planFactsOf = (coverage: Coverage, texts: Texts['card'], format: Format): readonly Fact[] => {
  const { plan, group, network, effectiveDate, terminationDate } = coverage;
  return known([
    [texts.plan, plan?.name],
    [texts.groupNumber, group?.number],
    [texts.group, group?.name],
    [texts.network, network?.name],
    [texts.effective, effectiveDate && format.date(effectiveDate)],
    [texts.validUntil, terminationDate && format.date(terminationDate)],
  ]);
};

export const pharmacyFactsOf = ({ pharmacy }: Coverage, texts: Texts['card']): readonly Fact[] =>
  known([
    [texts.bin, pharmacy?.bin],
    [texts.pcn, pharmacy?.pcn],
    [texts.rxGroup, pharmacy?.group],
  ]);

/** What the member pays, on the back of the card. */
export const copayFactsOf = ({ copays = [], currency }: Coverage, format: Format): readonly Fact[] =>
  known(copays.map(({ service = '', amount }) => [service, format.money(amount, currency)] as const));

export const coinsuranceFactsOf = ({ coinsurance }: Coverage, texts: Texts['card']): readonly Fact[] =>
  known(
    (['inNetwork', 'outOfNetwork'] as const).map((network) => {
      const percent = coinsurance?.[network]?.memberPercent;
      return [texts.networks[network], percent === undefined ? undefined : texts.share(percent)] as const;
    }),
  );

/** The numbers that people read out, in the order of most forms. */
export const numbersOf = (coverage: Coverage, texts: Texts['card']): readonly Fact[] => [
  ...known([
    [texts.memberId, coverage.memberId],
    [texts.groupNumber, coverage.group?.number],
  ]),
  ...pharmacyFactsOf(coverage, texts),
];
