import type { Claim as DocumentedClaim } from '@portico/client';
import { Panel } from '../../design/card.tsx';
import { type Column, DataTable } from '../../design/data/data-table.tsx';
import { pageIconPaths } from '../../design/data/page-icon-paths.ts';
import type { Texts } from '../../texts/en.ts';
import type { Format } from '../../texts/format.ts';
import { useFormat, useTexts } from '../../texts/texts.tsx';

type Line = NonNullable<DocumentedClaim['serviceLines']>[number];
type Adjustment = NonNullable<Line['adjustments']>[number];

interface LinesProps {
  readonly lines: readonly Line[];
  readonly currency: string | undefined;
}

type NumberedLine = Line & { readonly number: string };

/** Each service of the claim, with the reasons for what the plan does not pay. */
export const ClaimLines = ({ lines, currency }: LinesProps) => {
  const { lines: texts } = useTexts().claims.page;
  const format = useFormat();
  return (
    <Panel title={texts.title} icon={pageIconPaths.care} className="wide">
      <DataTable
        caption={texts.title}
        rows={lines.map((line, index) => ({ ...line, number: String(index + 1) }))}
        keyOf={({ number }) => number}
        columns={columnsOf(texts, format, currency)}
      />
    </Panel>
  );
};

const columnsOf = (
  texts: Texts['claims']['page']['lines'],
  format: Format,
  currency: string | undefined,
): readonly Column<NumberedLine>[] => {
  const money = (title: string, amount: (line: Line) => number | null | undefined): Column<NumberedLine> => ({
    title,
    cell: (line) => <span className="amount">{format.money(amount(line), currency)}</span>,
    isNumeric: true,
  });
  return [
    { title: texts.service, cell: (line) => <Service line={line} currency={currency} /> },
    { title: texts.date, cell: ({ serviceDate }) => <span className="date">{format.date(serviceDate)}</span> },
    money(texts.billed, ({ billedAmount }) => billedAmount),
    money(texts.planPays, ({ planPaidAmount }) => planPaidAmount),
    money(texts.youPay, ({ memberResponsibilityAmount }) => memberResponsibilityAmount),
  ];
};

interface ServiceProps {
  readonly line: NumberedLine;
  readonly currency: string | undefined;
}

const Service = ({ line, currency }: ServiceProps) => {
  const texts = useTexts().claims.page.lines;
  const { description, number, procedureCode, units } = line;
  const adjustments = (line.adjustments ?? []).map((adjustment, index) => ({ ...adjustment, key: String(index) }));
  const facts = [
    ...(procedureCode ? [texts.code(procedureCode)] : []),
    ...(typeof units === 'number' && units > 1 ? [texts.units(units)] : []),
  ];
  return (
    <div className="service">
      <span>{description ?? texts.unnamed(number)}</span>
      {facts.length === 0 ? null : <span className="fine">{facts.join(' · ')}</span>}
      {adjustments.length > 0 ? (
        <ul className="reasons">
          {adjustments.map((adjustment) => (
            <Reason key={adjustment.key} adjustment={adjustment} currency={currency} />
          ))}
        </ul>
      ) : null}
    </div>
  );
};

interface ReasonProps {
  readonly adjustment: Adjustment;
  readonly currency: string | undefined;
}

/** A reason in plain words: the texts know the common reason codes (X12), the claims system describes the others. */
const Reason = ({ adjustment: { reasonCode = '', description, amount }, currency }: ReasonProps) => {
  const texts = useTexts().claims.page;
  const format = useFormat();
  const known = Object.hasOwn(texts.reasons, reasonCode) ? texts.reasons[reasonCode] : undefined;
  return (
    <li>
      <span>{known ?? description ?? texts.reasonCode(reasonCode)}</span>
      {typeof amount === 'number' ? <span className="amount">{format.money(amount, currency)}</span> : null}
    </li>
  );
};
