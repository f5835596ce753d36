import { colors, fact, letterhead, money, paragraph, renderPdf, type Holder, type Pdf } from './pdf.ts';

/** Front and back of the ID card, to print and cut out. */
export const idCardPdf = ({ profile, coverage }: Holder): Promise<Uint8Array> =>
  renderPdf(`ID card ${coverage.memberId}`, coverage.effectiveDate, (pdf) => {
    letterhead(pdf, 'ID card', coverage.plan.name);
    paragraph(pdf, 'Show this card when you receive care. Print this page and cut along the dashed lines.');
    const [x, width, height] = [156, 300, 189];

    card(pdf, x, 160, width, height);
    pdf.save().roundedRect(x, 160, width, height, 10).clip().rect(x, 160, width, 42).fill(colors.brand).restore();
    pdf
      .font('Helvetica-Bold')
      .fontSize(12)
      .fillColor('#ffffff')
      .text('Sample Health Plan', x + 14, 175);
    pdf
      .font('Helvetica')
      .fontSize(9)
      .text(coverage.plan.type, x + 186, 177, { width: 100, align: 'right' });
    fact(pdf, 'Member', profile.name.display, x + 14, 214, 140);
    fact(pdf, 'Member ID', coverage.memberId, x + 166, 214, 120);
    fact(pdf, 'Plan', coverage.plan.name, x + 14, 248, 145);
    fact(pdf, 'Group', coverage.group.number, x + 166, 248, 120);
    fact(pdf, 'Effective', coverage.effectiveDate, x + 14, 282, 140);
    fact(pdf, 'Network', coverage.network.name, x + 166, 282, 130);
    fact(pdf, 'RxBIN', coverage.pharmacy.bin, x + 14, 316, 70);
    fact(pdf, 'RxPCN', coverage.pharmacy.pcn, x + 90, 316, 70);
    fact(pdf, 'RxGroup', coverage.pharmacy.group, x + 166, 316, 120);

    card(pdf, x, 376, width, height);
    pdf.rect(x, 396, width, 22).fill(colors.wash);
    const copays = coverage.copays.map(({ service, amount }) => `${service} ${money(amount)}`).join('\n');
    fact(pdf, 'Copays', '', x + 14, 430);
    pdf
      .font('Helvetica')
      .fontSize(8.5)
      .text(copays || 'None: the deductible applies first', x + 14, 442, { width: 135, lineGap: 3 });
    fact(pdf, 'Member services', '+1-202-555-0100', x + 166, 430, 120);
    fact(pdf, 'Providers', '+1-202-555-0150', x + 166, 464, 120);
    fact(pdf, 'Claims', 'P.O. Box 0, Sampleton, OH 00001', x + 166, 498, 120);
    pdf.font('Helvetica').fontSize(7).fillColor(colors.soft);
    pdf.text('This card does not guarantee coverage.', x + 14, 550, { width: 272 });
  });

const card = (pdf: Pdf, x: number, y: number, width: number, height: number): void => {
  pdf.roundedRect(x, y, width, height, 10).lineWidth(1).dash(4, { space: 3 }).stroke(colors.soft).undash();
};
