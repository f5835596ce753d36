import { Panel } from '../../design/card.tsx';
import { Icon } from '../../design/icon.tsx';
import { useFormat, useTexts } from '../../texts/texts.tsx';
import { billedOf, type Claim } from '../claim.ts';
import { type Costs, costsOf, shareOf } from './costs.ts';

/** What the member pays, and why. */
export const CostsPanel = ({ claim }: { readonly claim: Claim }) => {
  const texts = useTexts().claims.page.costs;
  const format = useFormat();
  const { memberResponsibilityAmount: youPay, currency } = claim;
  const costs = costsOf(claim);
  const billed = billedOf(claim);
  if (typeof youPay !== 'number')
    return (
      <Panel title={texts.title} icon="costs">
        <p className="pending">
          <Icon icon="clock" />
          <strong>{texts.pending}</strong>
        </p>
        <p>{texts.pendingBody}</p>
        {billed === undefined ? null : (
          <dl className="costs plain">
            <CostRow label={texts.billed} amount={format.money(billed, currency)} />
          </dl>
        )}
      </Panel>
    );
  return (
    <Panel title={texts.title} icon="costs">
      <div className="result">
        <p className="figure">{format.money(youPay, currency)}</p>
        <p>{youPay > 0 ? texts.owe : texts.nothing}</p>
      </div>
      {costs ? <Breakdown costs={costs} claim={claim} /> : null}
      <Share claim={claim} />
    </Panel>
  );
};

const Breakdown = ({ costs, claim }: { readonly costs: Costs; readonly claim: Claim }) => {
  const texts = useTexts().claims.page.costs;
  const format = useFormat();
  const money = (amount: number) => format.money(amount, claim.currency);
  const minus = (amount: number) => (amount > 0 ? `−${money(amount)}` : money(amount === 0 ? 0 : -amount));
  const { billed, discount, planPays, youPay, other } = costs;
  return (
    <>
      <Bar costs={costs} />
      <dl className="costs">
        <CostRow label={texts.billed} amount={money(billed)} />
        {discount === 0 ? null : (
          <CostRow
            label={claim.status === 'denied' ? texts.notCovered : texts.discount}
            amount={minus(discount)}
            part="discount"
          />
        )}
        {other === 0 ? null : <CostRow label={texts.other} amount={minus(other)} part="discount" />}
        <CostRow label={texts.planPays} amount={minus(planPays)} part="plan" />
        <CostRow label={texts.youPay} amount={money(youPay)} part="you" isTotal />
      </dl>
    </>
  );
};

interface CostRowProps {
  readonly label: string;
  readonly amount: string;
  /** Its part of the bar. */
  readonly part?: 'discount' | 'plan' | 'you';
  readonly isTotal?: boolean;
}

const CostRow = ({ label, amount, part, isTotal = false }: CostRowProps) => (
  <div className={isTotal ? 'total' : undefined}>
    <dt>
      <svg className="key" viewBox="0 0 1 1" aria-hidden="true">
        {part === undefined ? null : <rect className={part} width="1" height="1" />}
      </svg>
      {label}
    </dt>
    <dd className="amount">{amount}</dd>
  </div>
);

/** The parts of the billed amount, in the order of the list below it. */
const Bar = ({ costs: { billed, planPays, youPay } }: { readonly costs: Costs }) => {
  if (billed <= 0) return null;
  const widthOf = (amount: number) => Math.min(100, Math.max(0, (100 * amount) / billed));
  const [you, plan] = [widthOf(youPay), widthOf(planPays)];
  return (
    <svg className="costs-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect className="discount" width="100" height="4" />
      <rect className="plan" x={Math.max(0, 100 - you - plan)} width={Math.min(plan, 100 - you)} height="4" />
      <rect className="you" x={100 - you} width={you} height="4" />
    </svg>
  );
};

const Share = ({ claim }: { readonly claim: Claim }) => {
  const texts = useTexts().claims.page.costs;
  const format = useFormat();
  const share = shareOf(claim);
  if (share.length === 0) return null;
  return (
    <div className="share">
      <h3>{texts.share}</h3>
      <dl className="costs plain">
        {share.map(([name, amount]) => (
          <CostRow key={name} label={texts[name]} amount={format.money(amount, claim.currency)} />
        ))}
      </dl>
    </div>
  );
};
