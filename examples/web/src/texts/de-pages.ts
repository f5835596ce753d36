import { notFound } from '../app/not-found-texts.de.ts';
import { documentsPage } from '../documents/documents-page-texts.de.ts';
import { card } from '../card/card-texts.de.ts';
import { costs } from '../costs/costs-texts.de.ts';
import { controls } from '../design/data/control-texts.de.ts';
import { claims } from '../claims/claim-texts.de.ts';
import { form } from '../form/form-texts.de.ts';
import { notifications } from '../notifications/notification-texts.de.ts';
import { account } from '../account/account-texts.de.ts';
import { preferences } from '../preferences/preferences-texts.de.ts';
import { search } from '../search/search-texts.de.ts';
import type { PageTexts } from './en-pages.ts';

/** The texts in German that only pages other than the dashboard need. */
export const dePages: PageTexts = {
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
