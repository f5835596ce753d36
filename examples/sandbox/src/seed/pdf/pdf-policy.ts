import { addressBlock, fact, heading, letterhead, money, paragraph, renderPdf, table, type Holder } from './pdf.ts';

/** The policy document: coverage and costs, on two pages. */
export const policyPdf = ({ profile, coverage, accumulators }: Holder): Promise<Uint8Array> =>
  renderPdf(`${coverage.plan.name} policy`, coverage.effectiveDate, (pdf) => {
    letterhead(pdf, 'Policy document', coverage.plan.name);
    addressBlock(pdf, profile);
    fact(pdf, 'Plan', coverage.plan.code, 330, 114, 110);
    fact(pdf, 'Effective', coverage.effectiveDate, 448, 114, 110);
    fact(pdf, 'Member ID', coverage.memberId, 330, 148, 110);
    fact(pdf, 'Group', coverage.group.number, 448, 148, 110);
    heading(pdf, 'Your plan', 218);
    paragraph(
      pdf,
      `This document describes ${coverage.plan.name}, offered to the members of ${coverage.group.name}. Care from the ${coverage.network.name} costs you least.`,
    );
    heading(pdf, 'Who is covered');
    table(
      pdf,
      [
        { title: 'Name', width: 304 },
        { title: 'Relationship', width: 200 },
      ],
      [coverage.subscriber, ...coverage.dependents].map(({ name, relationship }) => [name, relationship]),
    );
    heading(pdf, 'Deductible and out-of-pocket maximum per benefit period');
    const { deductible, outOfPocketMaximum } = accumulators;
    const limits = (name: string, { inNetwork, outOfNetwork }: typeof deductible.individual) => [
      name,
      money(inNetwork.limit),
      money(outOfNetwork.limit),
    ];
    table(
      pdf,
      [
        { title: 'Limit', width: 264 },
        { title: 'In network', width: 120, align: 'right' },
        { title: 'Out of network', width: 120, align: 'right' },
      ],
      [
        limits('Deductible, individual', deductible.individual),
        limits('Deductible, family', deductible.family),
        limits('Out-of-pocket maximum, individual', outOfPocketMaximum.individual),
        limits('Out-of-pocket maximum, family', outOfPocketMaximum.family),
      ],
    );
    const { inNetwork, outOfNetwork } = coverage.coinsurance;
    paragraph(
      pdf,
      `After the deductible you pay ${inNetwork.memberPercent}% of the allowed amount in network and ${outOfNetwork.memberPercent}% out of network, up to the out-of-pocket maximum.`,
    );

    pdf.addPage();
    letterhead(pdf, 'Policy document', coverage.plan.name);
    if (coverage.copays.length > 0) {
      heading(pdf, 'Copays in network');
      table(
        pdf,
        [
          { title: 'Service', width: 384 },
          { title: 'You pay', width: 120, align: 'right' },
        ],
        coverage.copays.map(({ service, amount }) => [service, money(amount)]),
      );
    }
    for (const [title, text] of clauses) {
      heading(pdf, title);
      paragraph(pdf, text);
    }
  });

const clauses = [
  [
    'Preventive care',
    'Preventive care from a provider in your network is covered in full; no deductible or copay applies.',
  ],
  [
    'Prior authorization',
    'Some services need our approval first, among them physical therapy, imaging by MRI and planned hospital stays. Your provider requests it. Without approval, the claim is denied and an in-network provider may not charge you.',
  ],
  ['Emergencies', 'Emergency care is covered as in network wherever you receive it.'],
  [
    'Filing a claim',
    'Providers in your network file for you. Otherwise send us the claim within 90 days of the service.',
  ],
  [
    'Appeals',
    'You may appeal a decision within 180 days. We decide within 30 days, or within 72 hours in urgent cases.',
  ],
  [
    'End of coverage',
    'Coverage ends on the last day of the month in which you leave the group, or on the termination date of the policy.',
  ],
] as const;
