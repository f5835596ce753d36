import { app } from '../app/app-texts.en.ts';
import { claims } from '../claims/claim-texts.en.ts';
import { dashboard } from '../dashboard/dashboard-texts.en.ts';
import { documents } from '../documents/document-texts.en.ts';
import { errors } from '../errors/error-texts.en.ts';
import { form } from '../form/form-texts.en.ts';
import { session } from '../session/session-texts.en.ts';

/** All texts in English, by area. */
export const en = {
  app,
  claims,
  dashboard,
  documents,
  errors,
  form,
  session,
};

/** English defines which texts there are. */
export type Texts = typeof en;
