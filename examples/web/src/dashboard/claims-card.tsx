import { useResource } from '../api/context.ts';
import { PageLink } from '../frame/page-link.tsx';
import { billedOf, type Claim, dateOf, nameOfClaim, toneOf } from '../claims/claim.ts';
import { Card } from '../design/card.tsx';
import { Tag } from '../design/tag.tsx';
import { claimPath } from '../frame/claim-path.ts';
import { nameOf, useFormat, useTexts } from '../texts/texts.tsx';

const maxClaims = 5;

/** The latest claims, each with what the member pays. */
export const ClaimsCard = () => {
  const texts = useTexts().dashboard.claims;
  return (
    <Card
      title={texts.title}
      icon="claims"
      action={<PageLink page="/claims">{texts.all}</PageLink>}
      resource={useResource<{ readonly claims?: readonly Claim[] }>('claims', (portico, signal) =>
        portico.listClaims([], signal),
      )}
      empty={texts.none}
      className="claims"
    >
      {({ claims = [] }) =>
        claims.length === 0 ? undefined : (
          <ul className="rows">
            {claims.slice(0, maxClaims).map((claim) => (
              <ClaimRow key={claim.locator} claim={claim} />
            ))}
          </ul>
        )
      }
    </Card>
  );
};

const ClaimRow = ({ claim }: { readonly claim: Claim }) => {
  const { dashboard, claimNames } = useTexts();
  const texts = dashboard.claims;
  const format = useFormat();
  const { locator = '', status, memberResponsibilityAmount, currency } = claim;
  const name = <strong>{nameOfClaim(claim, claimNames)}</strong>;
  const date = dateOf(claim);
  return (
    <li>
      <div>
        <PageLink page="/claims/:locator" to={claimPath(locator)} otherwise={name}>
          {name}
        </PageLink>
        <span className="fine">{date === undefined ? locator : `${format.date(date)} · ${locator}`}</span>
      </div>
      <div className="end">
        <span className="amount">
          {typeof memberResponsibilityAmount === 'number'
            ? texts.youPay(format.money(memberResponsibilityAmount, currency))
            : texts.billed(format.money(billedOf(claim), currency))}
        </span>
        {status === undefined ? null : <Tag tone={toneOf(status)}>{nameOf(claimNames.statuses, status)}</Tag>}
      </div>
    </li>
  );
};
