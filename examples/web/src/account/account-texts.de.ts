import type { account as english } from './account-texts.en.ts';

export const account: typeof english = {
  title: 'Konto',
  lead: 'Wie wir Sie erreichen und was wir mit Ihren Daten tun dürfen.',
  contact: {
    title: 'Kontaktdaten',
    name: 'Name',
    address: 'Adresse',
    edit: 'Kontaktdaten ändern',
    save: 'Kontaktdaten speichern',
    emailHint: 'Zum Beispiel name@example.com',
    phoneHint: 'Zum Beispiel +1 555 010 0100',
    optional: (label) => `${label} (freiwillig)`,
    fields: {
      email: 'E-Mail',
      phone: 'Telefon',
      line1: 'Straße und Hausnummer',
      line2: 'Adresszusatz',
      city: 'Ort',
      state: 'Bundesstaat',
      postalCode: 'Postleitzahl',
    },
    missing: {
      email: 'Geben Sie Ihre E-Mail-Adresse ein',
      phone: 'Geben Sie Ihre Telefonnummer ein',
      line1: 'Geben Sie Ihre Straße und Hausnummer ein',
      city: 'Geben Sie Ihren Ort ein',
      state: 'Geben Sie Ihren Bundesstaat ein',
      postalCode: 'Geben Sie Ihre Postleitzahl ein',
    },
    invalidEmail: 'Geben Sie eine gültige E-Mail-Adresse ein, zum Beispiel name@example.com',
    invalidPhone: 'Geben Sie eine Telefonnummer mit 7 bis 15 Ziffern ein, zum Beispiel +1 555 010 0100',
  },
  consent: {
    title: 'Einwilligungen',
    none: 'Sie haben keine Einwilligungen zu verwalten.',
    yes: 'Ja, ich willige ein',
    no: 'Nein, ich willige nicht ein',
    save: 'Einwilligungen speichern',
    fixed: 'Sie können das hier nicht ändern. Wenden Sie sich dafür an uns.',
    purposes: {
      'share-with-providers': 'Weitergabe an Ärzte und Kliniken',
      'electronic-delivery': 'Elektronische Zustellung',
      'care-management': 'Begleitung bei Krankheit',
      marketing: 'Werbung',
      research: 'Forschung',
    },
    explanations: {
      'share-with-providers':
        'Ärzte und Kliniken, die Sie behandeln, sehen Ihren Versicherungsschutz und Ihre Leistungsfälle. Sie müssen diese Unterlagen nicht mitbringen.',
      'electronic-delivery':
        'Sie erhalten Leistungsabrechnungen und Briefe hier statt auf Papier. Ohne Einwilligung senden wir sie per Post.',
      'care-management':
        'Unsere Pflegefachkräfte dürfen Ihre Leistungsfälle ansehen und Sie bei langer Krankheit oder nach Operationen ansprechen.',
      marketing:
        'Wir dürfen Ihnen Angebote für unsere anderen Produkte senden. Ihr Versicherungsschutz hängt nicht davon ab.',
      research:
        'Forschende dürfen Ihre Daten ohne Namen, Adresse und Geburtsdatum nutzen, um die Versorgung zu verbessern.',
    },
    states: {
      granted: (date) => (date ? `Sie haben am ${date} eingewilligt.` : 'Sie haben eingewilligt.'),
      denied: (date) => (date ? `Sie haben am ${date} nicht eingewilligt.` : 'Sie haben nicht eingewilligt.'),
      withdrawn: (date) =>
        date ? `Sie haben Ihre Einwilligung am ${date} widerrufen.` : 'Sie haben Ihre Einwilligung widerrufen.',
    },
    notChosen: 'Sie haben noch nicht gewählt.',
    version: (version) => `Text der Einwilligung in Version ${version}.`,
    confirm: {
      title: 'Einwilligungen ändern?',
      granted: (purpose) => `${purpose}: Sie willigen ein.`,
      denied: (purpose) => `${purpose}: Sie willigen nicht ein.`,
      withdrawn: (purpose) => `${purpose}: Sie widerrufen Ihre Einwilligung.`,
      later: 'Sie können das jederzeit ändern. Ein Widerruf gilt nicht für das, was vorher geschehen ist.',
      confirm: 'Bestätigen',
    },
  },
};
