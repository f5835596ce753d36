import type { costs as english } from './costs-texts.en.ts';

export const costs: typeof english = {
  title: 'Kosten',
  lead: 'Was Sie für Behandlungen zahlen, und wie viel noch offen ist, bis Ihr Tarif mehr übernimmt.',
  visits: {
    title: 'Was Sie für Behandlungen zahlen',
    none: 'Ihr Tarif nennt keine Zuzahlungen und keinen Eigenanteil.',
    copays: 'Zuzahlungen',
    service: 'Leistung',
    youPay: 'Sie zahlen',
    noCopays: 'Ihr Tarif nennt keine Zuzahlungen.',
    coinsurance: 'Eigenanteil',
    coinsuranceHint: 'Ihr Anteil an anderen versicherten Behandlungen, sobald der Selbstbehalt erreicht ist.',
    share: (percent) => `Sie zahlen ${percent} %, Ihr Tarif zahlt ${100 - percent} %`,
  },
  limits: {
    title: 'Selbstbehalt und Höchstbetrag der Eigenanteile',
    none: 'Es gelten keine Grenzen.',
    whose: 'Für wen die Beträge gelten',
    individual: 'Für Sie',
    family: 'Für Ihre Familie',
    period: (from, to) => `Leistungszeitraum: ${from} bis ${to}. Danach beginnen die Beträge neu.`,
    left: 'übrig',
    met: 'Erreicht',
    of: (used, limit) => `${used} von ${limit}`,
    metNotes: {
      deductible: 'Ihr Tarif beteiligt sich jetzt an den Kosten versicherter Behandlungen.',
      outOfPocketMaximum:
        'Ihr Tarif zahlt jetzt die vollen Kosten versicherter Behandlungen, bis der Leistungszeitraum endet.',
    },
  },
  kinds: { deductible: 'Selbstbehalt', outOfPocketMaximum: 'Höchstbetrag der Eigenanteile' },
  networks: { inNetwork: 'In Ihrem Netzwerk', outOfNetwork: 'Außerhalb des Netzwerks' },
  pharmacy: {
    title: 'In der Apotheke',
    lead: 'Nennen Sie diese Nummern mit Ihrer Mitgliedsnummer.',
    none: 'Ihr Tarif nennt keine Nummern für die Apotheke.',
    bin: 'RxBIN',
    pcn: 'RxPCN',
    group: 'RxGroup',
  },
  words: {
    title: 'Was diese Wörter bedeuten',
    deductible: 'Was Sie für versicherte Behandlungen zahlen, bevor Ihr Tarif zahlt.',
    copay: 'Ein fester Betrag, den Sie für eine Leistung zahlen, zum Beispiel für einen Besuch.',
    coinsurance: 'Ihr Anteil an den Kosten einer Leistung in Prozent, nach dem Selbstbehalt.',
    outOfPocketMaximum: 'Der höchste Betrag, den Sie in einem Leistungszeitraum für versicherte Behandlungen zahlen.',
    network:
      'Die Praxen und Krankenhäuser mit einem Vertrag mit Ihrem Tarif. Behandlungen an anderen Orten kosten meist mehr.',
    names: { copay: 'Zuzahlung', coinsurance: 'Eigenanteil', network: 'Netzwerk' },
  },
};
