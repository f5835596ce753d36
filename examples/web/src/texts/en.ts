import { app } from '../app/app-texts.en.ts';
import { claimNames } from '../claims/claim-name-texts.en.ts';
import { dashboard } from '../dashboard/dashboard-texts.en.ts';
import { documents } from '../documents/document-texts.en.ts';
import { errors } from '../errors/error-texts.en.ts';
import { session } from '../session/session-texts.en.ts';
import type { PageTexts } from './en-pages.ts';

/** The texts in English that every page or the dashboard needs, by area. */
export const en = {
  app,
  claimNames,
  dashboard,
  documents,
  errors,
  session,
};

export type FirstTexts = typeof en;

/** English defines which texts there are. */
export type Texts = FirstTexts & PageTexts;
