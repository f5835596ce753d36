import { claims } from '../claims/claim-texts.de.ts';
import { form } from '../form/form-texts.de.ts';
import type { PageTexts } from './en-pages.ts';

/** The texts in German that only pages other than the dashboard need. */
export const dePages: PageTexts = {
  claims,
  form,
};
