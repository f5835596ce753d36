import { account } from '../account/account-texts.en.ts';
import { form } from '../form/form-texts.en.ts';
import { preferences } from '../preferences/preferences-texts.en.ts';
import { search } from '../search/search-texts.en.ts';

/** The texts in English that only pages other than the dashboard need: loaded with the first of them. */
export const enPages = {
  account,
  form,
  preferences,
  search,
};

export type PageTexts = typeof enPages;
