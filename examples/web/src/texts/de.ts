import { app } from '../app/app-texts.de.ts';
import { claimNames } from '../claims/claim-name-texts.de.ts';
import { dashboard } from '../dashboard/dashboard-texts.de.ts';
import { documents } from '../documents/document-texts.de.ts';
import { errors } from '../errors/error-texts.de.ts';
import { session } from '../session/session-texts.de.ts';
import type { FirstTexts } from './en.ts';

/** The texts in German. A key that is missing here does not compile. */
export const de: FirstTexts = {
  app,
  claimNames,
  dashboard,
  documents,
  errors,
  session,
};
