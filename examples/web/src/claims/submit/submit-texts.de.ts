import type { submit as english } from './submit-texts.en.ts';

export const submit: typeof english = {
  title: 'Rechnung einreichen',
  lead: 'Für Behandlungen, die Sie selbst bezahlt haben. Rechnet Ihre Praxis mit uns ab, müssen Sie nichts einreichen.',
  kind: {
    legend: 'Was für eine Behandlung war es?',
    hints: {
      professional: 'Arztpraxis, Therapie oder Labor',
      institutional: 'Krankenhaus oder Klinik',
      oral: 'Zahnarzt oder Kieferorthopädie',
      vision: 'Augenuntersuchung, Brille oder Kontaktlinsen',
      pharmacy: 'Medikamente auf Rezept',
    },
    missing: 'Wählen Sie die Art der Behandlung',
  },
  patient: {
    label: 'Wer wurde behandelt?',
    choose: 'Person wählen',
    you: (name) => `${name} (Sie)`,
    relationships: {
      spouse: 'Ehepartner/in',
      common: 'Lebenspartner/in',
      child: 'Kind',
      parent: 'Elternteil',
      other: 'andere Person',
    },
    unknown:
      'Die gewählte Person ist in Ihrem Versicherungsschutz nicht zu finden. Wählen Sie eine Person, oder öffnen Sie diese Seite später noch einmal',
  },
  provider: {
    label: 'Name der Praxis oder Apotheke',
    hint: 'So, wie er auf der Rechnung steht.',
    missing: 'Geben Sie den Namen der Praxis oder Apotheke ein',
  },
  date: {
    label: 'Tag der Behandlung',
    hint: 'Bei mehreren Tagen der erste.',
    missing: 'Geben Sie den Tag der Behandlung ein',
    future: 'Der Tag der Behandlung darf nicht in der Zukunft liegen',
  },
  amount: {
    label: (currency) => `Rechnungsbetrag in ${currency}`,
    labelPlain: 'Rechnungsbetrag',
    hint: (example) => `Zum Beispiel ${example}`,
    missing: 'Geben Sie den Rechnungsbetrag ein',
    invalid: (example) => `Geben Sie den Betrag als Zahl ein, zum Beispiel ${example}`,
    zero: 'Der Betrag muss größer als 0 sein',
  },
  description: {
    label: 'Wofür war es? (freiwillig)',
    hint: 'Wenige Worte, zum Beispiel „Jährliche Augenuntersuchung“.',
  },
  refused: (message) => `Prüfen Sie diese Angabe: ${message}`,
  submit: 'Rechnung einreichen',
  submitting: 'Wird eingereicht …',
  cancel: 'Abbrechen',
  failed: {
    title: 'Ihre Rechnung wurde nicht eingereicht',
    unknownTitle: 'Wir wissen nicht, ob Ihre Rechnung angekommen ist',
    unknown: 'Reichen Sie sie ohne Änderungen noch einmal ein: Sie wird nur einmal gezählt.',
    later: 'Ihre Angaben sind noch da.',
    ended: 'Ihre Sitzung ist beendet. Melden Sie sich zum Einreichen erneut an. Ihre Angaben bleiben erhalten.',
  },
  unfinished:
    'Wir wissen nicht, ob die Rechnung angekommen ist, die Sie zuletzt eingereicht haben. Sehen Sie in Ihren Rechnungen nach, bevor Sie sie erneut einreichen.',
  toClaims: 'Ihre Rechnungen ansehen',
  done: {
    created: 'Rechnung eingereicht',
    accepted: 'Rechnung ist unterwegs',
    createdBody: 'Ihre Rechnung ist bei uns eingegangen.',
    acceptedBody:
      'Wir haben Ihre Rechnung angenommen. Sie erscheint in Ihren Rechnungen, sobald sie erfasst ist. Das kann etwas dauern.',
    number: 'Ihre Rechnungsnummer',
    nextTitle: 'So geht es weiter',
    next: {
      check: 'Wir prüfen Ihre Rechnung',
      checkBody: 'Bewahren Sie Rechnung und Belege auf: Wir melden uns, wenn wir sie brauchen.',
      decide: 'Wir entscheiden, was Ihr Tarif zahlt',
      decideBody: 'Die Entscheidung und die Leistungsabrechnung finden Sie bei der Rechnung.',
      pay: 'Sie erhalten den Betrag',
      payBody: 'Was Ihr Tarif zahlt, überweisen wir Ihnen.',
    },
    view: 'Rechnung ansehen',
    all: 'Alle Rechnungen',
    another: 'Weitere Rechnung einreichen',
  },
};
