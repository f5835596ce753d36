import type { SeedClaim } from '../adjudication.ts';
import {
  addressBlock,
  colors,
  fact,
  heading,
  letterhead,
  money,
  paragraph,
  renderPdf,
  sheet,
  table,
  type Holder,
  type Pdf,
} from './pdf.ts';

/** Explanation of benefits of one adjudicated claim. */
export const eobPdf = ({ profile, coverage }: Holder, claim: SeedClaim): Promise<Uint8Array> =>
  renderPdf(`Explanation of benefits ${claim.locator}`, claim.adjudicatedDate ?? claim.receivedDate, (pdf) => {
    letterhead(pdf, 'Explanation of benefits', 'This is not a bill');
    addressBlock(pdf, profile);
    fact(pdf, 'Claim', claim.locator, 330, 114, 110);
    fact(pdf, 'Processed', claim.adjudicatedDate ?? 'Not yet', 448, 114, 110);
    fact(pdf, 'Member ID', coverage.memberId, 330, 148, 110);
    fact(pdf, 'Group', coverage.group.number, 448, 148, 110);
    fact(pdf, 'Patient', claim.patient.name, 330, 182, 110);
    fact(pdf, 'Result', claim.status === 'denied' ? 'Denied' : 'Paid', 448, 182, 110);

    summary(pdf, claim);

    heading(pdf, `${claim.provider.name}, ${claim.serviceDates.from}`, 322);
    paragraph(
      pdf,
      `${claim.provider.specialty}. ${claim.provider.network === 'inNetwork' ? 'In your network.' : 'Outside your network.'}`,
    );
    const amounts = ['billedAmount', 'allowedAmount', 'planPaidAmount', 'memberResponsibilityAmount'] as const;
    table(
      pdf,
      [
        { title: 'Code', width: 62 },
        { title: 'Service', width: 178 },
        { title: 'Billed', width: 66, align: 'right' },
        { title: 'Allowed', width: 66, align: 'right' },
        { title: 'Plan paid', width: 66, align: 'right' },
        { title: 'You owe', width: 66, align: 'right' },
      ],
      [
        ...claim.serviceLines.map((line) => [
          line.procedureCode,
          line.units > 1 ? `${line.description} (x${line.units})` : line.description,
          ...amounts.map((amount) => money(line[amount])),
        ]),
        ['Total', '', ...amounts.map((amount) => money(claim[amount]))],
      ],
      [claim.serviceLines.length],
    );

    heading(pdf, 'Why the amounts differ');
    table(
      pdf,
      [
        { title: 'Line', width: 40 },
        { title: 'Reason', width: 70 },
        { title: 'Meaning', width: 314 },
        { title: 'Amount', width: 80, align: 'right' },
      ],
      claim.serviceLines.flatMap((line) =>
        line.adjustments.map(({ groupCode, reasonCode, description, amount }) => [
          String(line.lineNumber),
          `${groupCode}-${reasonCode}`,
          description,
          money(amount),
        ]),
      ),
    );
    heading(pdf, 'If you disagree');
    paragraph(
      pdf,
      'You may appeal this decision within 180 days of the date above. Write to Appeals, Sample Health Plan, ' +
        '1 Example Plaza, Sampleton, OH 00001, or call +1-202-555-0100. CO: the provider may not charge you this amount. PR: this part is yours.',
    );
  });

const summary = (pdf: Pdf, claim: SeedClaim): void => {
  const boxes = [
    ['Provider billed', claim.billedAmount],
    ['Plan allowed', claim.allowedAmount],
    ['Plan paid', claim.planPaidAmount],
    ['You owe', claim.memberResponsibilityAmount],
  ] as const;
  boxes.forEach(([label, amount], index) => {
    const x = sheet.left + index * 128;
    const last = index === boxes.length - 1;
    pdf.roundedRect(x, 236, 120, 62, 6).fill(last ? colors.accent : colors.wash);
    pdf
      .font('Helvetica')
      .fontSize(8.5)
      .fillColor(last ? '#ffffff' : colors.soft)
      .text(label, x + 12, 248);
    pdf
      .font('Helvetica-Bold')
      .fontSize(17)
      .fillColor(last ? '#ffffff' : colors.ink)
      .text(money(amount), x + 12, 266);
  });
};
