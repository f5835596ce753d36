import type { controls as english } from './control-texts.en.ts';

export const controls: typeof english = {
  copy: 'Kopieren',
  copied: (label) => `Kopiert: ${label}`,
  on: 'Ein',
  off: 'Aus',
  previousPage: 'Vorherige Seite',
  nextPage: 'Nächste Seite',
};
