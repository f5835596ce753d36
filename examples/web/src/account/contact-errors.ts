import type { Profile } from '@portico/client';
import type { FieldErrors } from '../design/forms/error-summary.tsx';
import { type Edits, without } from '../form/edits.ts';
import type { Texts } from '../texts/en.ts';
import { contactDetailsOf } from './contact-details.ts';

const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text);

/** At most 15 digits, as in ITU-T E.164; with the punctuation that people use. */
const isPhone = (text: string): boolean => {
  const digits = text.replaceAll(/[^0-9]/g, '').length;
  return /^\+?[\d\s().\-/]+$/.test(text) && digits >= 7 && digits <= 15;
};

/**
 * What is wrong with the edits. Values that were not edited are accepted as they are: a field that the profile lacks must
 * not keep a member from changing the others.
 */
export const contactErrors = (
  profile: Profile,
  edits: Edits<string>,
  texts: Texts['account']['contact'],
): FieldErrors => {
  const details = contactDetailsOf(profile);
  const changed = without(edits, details);
  const missing: Readonly<Record<string, string>> = texts.missing;
  return new Map(
    [...details.keys()].flatMap((name): readonly (readonly [string, string])[] => {
      const value = changed.get(name)?.trim();
      if (value === undefined) return [];
      if (value === '') return missing[name] === undefined ? [] : [[name, missing[name]]];
      if (name === 'email' && !isEmail(value)) return [[name, texts.invalidEmail]];
      return name === 'phone' && !isPhone(value) ? [[name, texts.invalidPhone]] : [];
    }),
  );
};
