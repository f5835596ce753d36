import { notFound } from '../app/not-found-texts.en.ts';
import { documentsPage } from '../documents/documents-page-texts.en.ts';
import { card } from '../card/card-texts.en.ts';
import { costs } from '../costs/costs-texts.en.ts';
import { controls } from '../design/data/control-texts.en.ts';
import { claims } from '../claims/claim-texts.en.ts';
import { form } from '../form/form-texts.en.ts';
import { notifications } from '../notifications/notification-texts.en.ts';
import { account } from '../account/account-texts.en.ts';
import { preferences } from '../preferences/preferences-texts.en.ts';
import { search } from '../search/search-texts.en.ts';

/** The texts in English that only pages other than the dashboard need: loaded with the first of them. */
export const enPages = {
  card,
  controls,
  costs,
  documentsPage,
  claims,
  form,
  notFound,
  notifications,
  account,
  preferences,
  search,
};

export type PageTexts = typeof enPages;
