import type { documents as english } from './document-texts.en.ts';

export const documents: typeof english = {
  title: 'Dokumente',
  lead: 'Leistungsabrechnungen, Schreiben und Ihre Versichertenkarte. Ein PDF öffnet sich in einem neuen Tab.',
  none: 'Sie haben keine Dokumente.',
  open: 'PDF öffnen',
  opening: 'Wird geöffnet …',
};
