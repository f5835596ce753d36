import type { copy as english } from './copy-texts.en.ts';

export const copy: typeof english = {
  action: 'Kopieren',
  copied: (label) => `Kopiert: ${label}`,
};
