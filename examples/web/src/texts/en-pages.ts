import { claims } from '../claims/claim-texts.en.ts';
import { form } from '../form/form-texts.en.ts';

/** The texts in English that only pages other than the dashboard need: loaded with the first of them. */
export const enPages = {
  claims,
  form,
};

export type PageTexts = typeof enPages;
