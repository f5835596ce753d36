import { useResource } from '../api/context.ts';
import type { Claim } from '../api/resources.ts';
import { PageLink } from '../app/page-link.tsx';
import { Card } from '../design/card.tsx';
import { Tag, type Tone } from '../design/tag.tsx';
import { nameOf, useFormat, useTexts } from '../texts/texts.tsx';

const maxClaims = 5;

const tones: Readonly<Record<string, Tone>> = { paid: 'good', denied: 'bad', 'in-review': 'info', received: 'info' };

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
  const texts = useTexts().dashboard.claims;
  const format = useFormat();
  const { locator, status, provider, serviceDates, billedAmount, memberResponsibilityAmount, currency } = claim;
  const name = <strong>{provider?.name ?? locator}</strong>;
  return (
    <li>
      <div>
        <PageLink page="/claims/:locator" to={`/claims/${encodeURIComponent(locator)}`} otherwise={name}>
          {name}
        </PageLink>
        <span className="fine">
          {format.date(serviceDates?.from)} · {locator}
        </span>
      </div>
      <div className="end">
        <span className="amount">
          {typeof memberResponsibilityAmount === 'number'
            ? texts.youPay(format.money(memberResponsibilityAmount, currency))
            : texts.billed(format.money(billedAmount, currency))}
        </span>
        <Tag tone={tones[status ?? ''] ?? 'neutral'}>{nameOf(texts.statuses, status)}</Tag>
      </div>
    </li>
  );
};
