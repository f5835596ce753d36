import type { documents as english } from './document-texts.en.ts';

export const documents: typeof english = {
  none: 'Sie haben keine Dokumente.',
  open: 'PDF öffnen',
  opening: 'Wird geöffnet …',
};
