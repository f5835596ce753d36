import { account } from '../account/account-texts.de.ts';
import { form } from '../form/form-texts.de.ts';
import { preferences } from '../preferences/preferences-texts.de.ts';
import { search } from '../search/search-texts.de.ts';
import type { PageTexts } from './en-pages.ts';

/** The texts in German that only pages other than the dashboard need. */
export const dePages: PageTexts = {
  account,
  form,
  preferences,
  search,
};
