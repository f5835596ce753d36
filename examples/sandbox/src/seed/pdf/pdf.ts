import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import type { SeedAccumulators } from '../accumulators.ts';
import type { SeedCoverage } from '../coverage.ts';
import type { SeedProfile } from '../parties.ts';

/** The member of a document. */
export interface Holder {
  readonly profile: SeedProfile;
  readonly coverage: SeedCoverage;
  readonly accumulators: SeedAccumulators;
}

export type Pdf = InstanceType<typeof PDFDocument>;

interface Column {
  readonly title: string;
  readonly width: number;
  readonly align?: 'left' | 'right';
}

export const colors = {
  ink: '#1f2933',
  soft: '#5b6875',
  line: '#d5dce3',
  wash: '#f3f6f9',
  brand: '#17435f',
  accent: '#2a8c82',
};

/** Letter paper and its text area, in points. */
export const sheet = { width: 612, height: 792, left: 54, right: 558, inner: 504 };

/** Renders a PDF. Its bytes depend on its content only, so the same seed produces the same file. */
export const renderPdf = async (title: string, createdOn: string, draw: (pdf: Pdf) => void): Promise<Uint8Array> => {
  const created = new Date(`${createdOn}T12:00:00Z`);
  const pdf = new PDFDocument({
    size: 'LETTER',
    margin: 0, // positions are absolute; a margin would make pdfkit break pages by itself
    bufferPages: true,
    pdfVersion: '1.7',
    lang: 'en-US',
    displayTitle: true,
    info: { Title: title, Author: 'Sample Health Plan', CreationDate: created, ModDate: created },
  });
  draw(pdf);
  footers(pdf);
  pdf.end();
  return new Uint8Array(await buffer(pdf));
};

/** The header of a page; content starts below it. */
export const letterhead = (pdf: Pdf, title: string, note: string): void => {
  pdf.rect(0, 0, sheet.width, 84).fill(colors.brand);
  pdf.rect(0, 84, sheet.width, 4).fill(colors.accent);
  pdf.circle(sheet.left + 15, 42, 15).fill('#ffffff');
  pdf.rect(sheet.left + 12, 33, 6, 18).fill(colors.accent);
  pdf.rect(sheet.left + 6, 39, 18, 6).fill(colors.accent);
  pdf.fillColor('#ffffff').font('Helvetica-Bold').fontSize(15).text('Sample Health Plan', 96, 28);
  pdf.font('Helvetica').fontSize(9).text('Fictional, for the sandbox', 96, 47);
  pdf.font('Helvetica-Bold').fontSize(13).text(title, 300, 28, { width: 258, align: 'right' });
  pdf.font('Helvetica').fontSize(9).text(note, 300, 47, { width: 258, align: 'right' });
  pdf.fillColor(colors.ink).y = 112;
};

export const heading = (pdf: Pdf, text: string, y = pdf.y): void => {
  pdf.font('Helvetica-Bold').fontSize(11).fillColor(colors.brand).text(text, sheet.left, y, { width: sheet.inner });
  pdf.fillColor(colors.ink).y += 5;
};

export const paragraph = (pdf: Pdf, text: string): void => {
  pdf.font('Helvetica').fontSize(9.5).fillColor(colors.ink);
  pdf.text(text, sheet.left, pdf.y, { width: sheet.inner, lineGap: 2 });
  pdf.y += 9;
};

/** A small label above its value, at a given position. */
export const fact = (pdf: Pdf, label: string, value: string, x: number, y: number, width = 150): void => {
  pdf.font('Helvetica').fontSize(7.5).fillColor(colors.soft).text(label.toUpperCase(), x, y, { width });
  pdf
    .font('Helvetica-Bold')
    .fontSize(10)
    .fillColor(colors.ink)
    .text(value, x, y + 11, { width });
};

/** A table across the page; `strong` has the indexes of total rows. Leaves `pdf.y` below the table. */
export const table = (
  pdf: Pdf,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  strong: readonly number[] = [],
): void => {
  const rowHeight = 20;
  const cells = (texts: readonly string[], y: number) => {
    let x = sheet.left;
    columns.forEach(({ width, align = 'left' }, index) => {
      pdf.text(texts[index] ?? '', x + 4, y + 6, { width: width - 8, align, height: rowHeight, ellipsis: true });
      x += width;
    });
  };
  let { y } = pdf;
  pdf.rect(sheet.left, y, sheet.inner, rowHeight).fill(colors.brand);
  pdf.font('Helvetica-Bold').fontSize(8).fillColor('#ffffff');
  cells(
    columns.map(({ title }) => title),
    y,
  );
  rows.forEach((row, index) => {
    y += rowHeight;
    const total = strong.includes(index);
    if (total || index % 2 === 1) pdf.rect(sheet.left, y, sheet.inner, rowHeight).fill(colors.wash);
    pdf
      .font(total ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(8.5)
      .fillColor(colors.ink);
    cells(row, y);
    pdf
      .moveTo(sheet.left, y + rowHeight)
      .lineTo(sheet.right, y + rowHeight)
      .lineWidth(0.5)
      .stroke(colors.line);
  });
  pdf.y = y + rowHeight + 16;
};

export const addressBlock = (pdf: Pdf, { name, address }: SeedProfile): void => {
  const lines = [address.line1, address.line2, `${address.city}, ${address.state} ${address.postalCode}`];
  pdf.font('Helvetica-Bold').fontSize(10.5).fillColor(colors.ink).text(name.display, sheet.left, 118, { width: 250 });
  pdf.font('Helvetica').text(lines.filter(Boolean).join('\n'), { width: 250, lineGap: 2 });
};

export const money = (amount: number | null): string =>
  amount === null ? 'Pending' : amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' });

const footers = (pdf: Pdf): void => {
  const { count } = pdf.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    pdf.switchToPage(page);
    pdf.font('Helvetica').fontSize(7.5).fillColor(colors.soft);
    pdf.text('Sample document. No real person, provider or plan.', sheet.left, 756, { width: 380 });
    pdf.text(`Page ${page + 1} of ${count}`, sheet.right - 100, 756, { width: 100, align: 'right' });
  }
};
