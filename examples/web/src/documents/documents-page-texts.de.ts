import type { documentsPage as english } from './documents-page-texts.en.ts';

export const documentsPage: typeof english = {
  title: 'Dokumente',
  lead: 'Leistungsabrechnungen, Schreiben und Ihre Versichertenkarte. Ein PDF öffnet sich in einem neuen Tab.',
  list: 'Ihre Dokumente',
  type: 'Art',
  year: 'Jahr',
  all: 'Alle',
  shown: (count) => (count === 1 ? '1 Dokument' : `${count} Dokumente`),
  noneMatch: 'Kein Dokument passt zu beiden Filtern.',
  showAll: 'Alle Dokumente zeigen',
  claim: 'Rechnung',
  types: {
    eob: 'Leistungsabrechnung',
    'id-card': 'Versichertenkarte',
    policy: 'Versicherungsbedingungen',
    letter: 'Schreiben',
  },
};
