import { Link } from 'react-router';
import { type Column, DataTable } from '../../design/data/data-table.tsx';
import { Tag } from '../../design/tag.tsx';
import type { Texts } from '../../texts/en.ts';
import type { Format } from '../../texts/format.ts';
import { claimPath } from '../../frame/claim-path.ts';
import { nameOf, useFormat, useTexts } from '../../texts/texts.tsx';
import { billedOf, type Claim, dateOf, nameOfClaim, toneOf } from '../claim.ts';

interface ClaimsTableProps {
  readonly caption: string;
  readonly claims: readonly Claim[];
}

/** A row for each claim, which is a link to its page. */
export const ClaimsTable = ({ caption, claims }: ClaimsTableProps) => {
  const texts = useTexts();
  const format = useFormat();
  return (
    <DataTable
      caption={caption}
      columns={columnsOf(texts, format)}
      rows={claims}
      keyOf={({ locator = '' }) => locator}
    />
  );
};

const columnsOf = ({ claims: { list }, claimNames }: Texts, format: Format): readonly Column<Claim>[] => [
  { title: list.provider, cell: (claim) => <ClaimName claim={claim} /> },
  { title: list.date, cell: (claim) => <span className="date">{format.date(dateOf(claim))}</span> },
  {
    title: list.status,
    cell: ({ status }) =>
      status === undefined ? null : <Tag tone={toneOf(status)}>{nameOf(claimNames.statuses, status)}</Tag>,
  },
  { title: list.youPay, cell: (claim) => <YouPay claim={claim} />, isNumeric: true },
];

const ClaimName = ({ claim }: { readonly claim: Claim }) => {
  const { claims: texts, claimNames } = useTexts();
  const { locator, patient } = claim;
  const name = nameOfClaim(claim, claimNames);
  const isForOther = patient?.name !== undefined && patient.relationship !== 'self';
  return (
    <>
      {locator === undefined ? name : <Link to={claimPath(locator)}>{name}</Link>}
      <span className="fine">
        {locator}
        {isForOther ? ` · ${texts.forPatient(patient.name)}` : null}
      </span>
    </>
  );
};

const YouPay = ({ claim }: { readonly claim: Claim }) => {
  const { dashboard, claims } = useTexts();
  const format = useFormat();
  const { memberResponsibilityAmount: amount, currency } = claim;
  if (typeof amount === 'number') return <strong className="amount">{format.money(amount, currency)}</strong>;
  const billed = billedOf(claim);
  return (
    <span className="fine undecided">
      <span>{claims.list.notDecided}</span>
      {billed === undefined ? null : <span>{dashboard.claims.billed(format.money(billed, currency))}</span>}
    </span>
  );
};
