import { useResource } from '../api/context.ts';
import type { Claim } from '../api/resources.ts';
import { Card } from '../ui/card.tsx';
import { money, readableDate, words } from '../ui/format.ts';

const maxClaims = 5;

export const ClaimsCard = () => (
  <Card
    title="Recent claims"
    resource={useResource<{ readonly claims?: readonly Claim[] }>('claims', (portico, signal) =>
      portico.listClaims([['limit', String(maxClaims)]], signal),
    )}
    empty="You have no claims."
    className="claims"
  >
    {({ claims = [] }) =>
      claims.length === 0 ? undefined : (
        <ul className="rows">
          {claims.slice(0, maxClaims).map((claim) => (
            <li key={claim.locator}>
              <div>
                <strong>{claim.provider?.name ?? claim.locator}</strong>
                <span className="fine">
                  {readableDate(claim.serviceDates?.from)} · {claim.locator}
                </span>
              </div>
              <div className="end">
                <span className={`chip ${claim.status ?? ''}`}>{words(claim.status)}</span>
                <span className="fine">
                  {typeof claim.memberResponsibilityAmount === 'number'
                    ? `You pay ${money(claim.memberResponsibilityAmount, claim.currency)}`
                    : `Billed ${money(claim.billedAmount, claim.currency)}`}
                </span>
              </div>
            </li>
          ))}
        </ul>
      )
    }
  </Card>
);
