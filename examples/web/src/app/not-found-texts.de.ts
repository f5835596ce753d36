import type { notFound as english } from './not-found-texts.en.ts';

export const notFound: typeof english = {
  title: 'Seite nicht gefunden',
  body: 'Prüfen Sie die Adresse, falls Sie sie eingegeben haben. Sonst öffnen Sie eine dieser Seiten:',
};
