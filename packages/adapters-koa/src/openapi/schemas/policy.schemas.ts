import type { Schema } from '../format.ts';
import { code, date, flag, instant, list, object, text } from './schema-words.ts';

const textOrNull = (description: string): Schema => ({ type: ['string', 'null'], description });

const preferred = flag('The one to use. FHIR: `ContactPoint.rank` 1.');

export const policySchemas: Readonly<Record<string, Schema>> = {
  Profile: object('Who the member is, from policy administration. Recommended: FHIR R4 Patient and its data types.', {
    partyLocator: text('FHIR `Patient.identifier`.', 'PTY-1001'),
    name: object('FHIR HumanName.', {
      given: text('FHIR `HumanName.given`.'),
      family: text('FHIR `HumanName.family`.'),
      display: text('FHIR `HumanName.text`.', 'Sample Member A'),
    }),
    dateOfBirth: date('FHIR `Patient.birthDate`.'),
    address: object('FHIR Address.', {
      line1: textOrNull('FHIR `Address.line`, the first.'),
      line2: textOrNull('The second.'),
      city: textOrNull('FHIR `Address.city`.'),
      state: textOrNull('FHIR `Address.state`; in the US the postal code of the state.'),
      postalCode: textOrNull('FHIR `Address.postalCode`.'),
      country: textOrNull('FHIR `Address.country`: ISO 3166-1 alpha-2.'),
    }),
    phones: list(
      object('FHIR ContactPoint of system `phone`.', {
        type: code('FHIR `ContactPoint.use`.', 'home', 'work', 'temp', 'old', 'mobile'),
        number: text('With its country code (ITU-T E.164, hyphens allowed).', '+1-202-555-0101'),
        preferred,
      }),
      'FHIR `Patient.telecom`.',
    ),
    emails: list(
      object('FHIR ContactPoint of system `email`.', {
        type: text('FHIR `ContactPoint.use`.', 'personal', 'work'),
        address: { type: 'string', format: 'email', description: 'FHIR `ContactPoint.value`.' },
        preferred,
      }),
      'FHIR `Patient.telecom`.',
    ),
    languages: list(
      object('FHIR `Patient.communication`.', {
        code: text('BCP 47.', 'en-US'),
        preferred: flag('FHIR `communication.preferred`.'),
      }),
      'What the member wants to be spoken to in.',
    ),
    updatedAt: instant('FHIR `Patient.meta.lastUpdated`.'),
  }),
};
