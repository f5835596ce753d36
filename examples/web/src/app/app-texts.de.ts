import type { app as english } from './app-texts.en.ts';

export const app: typeof english = {
  name: 'Mitgliederportal',
  skip: 'Zum Inhalt springen',
  pages: 'Seiten',
  more: 'Mehr',
  language: 'Sprache',
  signedInAs: (name) => `Angemeldet als ${name}`,
  navigation: {
    dashboard: 'Übersicht',
    claims: 'Rechnungen',
    costs: 'Kosten',
    card: 'Karte',
    documents: 'Dokumente',
    notifications: 'Mitteilungen',
    search: 'Suche',
    preferences: 'Einstellungen',
    account: 'Konto',
  },
  /** The link in the header. */
  unread: (count) => (count === 0 ? 'Mitteilungen' : `Mitteilungen, ${count} ungelesen`),
  loading: 'Wird geladen …',
  close: 'Schließen',
  privacy: 'Melden Sie sich auf einem gemeinsam genutzten Gerät ab, wenn Sie fertig sind.',
};
