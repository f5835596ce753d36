import type { Schema } from '../format.ts';
import { code, date, boolean, dateTime, list, object, string } from './schema-builders.ts';

const stringOrNull = (description: string): Schema => ({ type: ['string', 'null'], description });

const preferred = boolean('Whether this is the preferred contact point. FHIR: `ContactPoint.rank` 1.');

export const policySchemas: Readonly<Record<string, Schema>> = {
  Profile: object(
    'The member’s party details in policy administration. Recommended: FHIR R4 Patient and its data types.',
    {
      partyLocator: string('FHIR `Patient.identifier`.', 'PTY-1001'),
      name: object('FHIR HumanName.', {
        given: string('FHIR `HumanName.given`.'),
        family: string('FHIR `HumanName.family`.'),
        display: string('FHIR `HumanName.text`.', 'Sample Member A'),
      }),
      dateOfBirth: date('FHIR `Patient.birthDate`.'),
      address: object('FHIR Address.', {
        line1: stringOrNull('FHIR `Address.line`, first line.'),
        line2: stringOrNull('FHIR `Address.line`, second line.'),
        city: stringOrNull('FHIR `Address.city`.'),
        state: stringOrNull('FHIR `Address.state`; in the US, the two-letter postal abbreviation.'),
        postalCode: stringOrNull('FHIR `Address.postalCode`.'),
        country: stringOrNull('FHIR `Address.country`: ISO 3166-1 alpha-2.'),
      }),
      phones: list(
        object('FHIR ContactPoint of system `phone`.', {
          type: code('FHIR `ContactPoint.use`.', 'home', 'work', 'temp', 'old', 'mobile'),
          number: string('Phone number with country code (ITU-T E.164, hyphens allowed).', '+1-202-555-0101'),
          preferred,
        }),
        'FHIR `Patient.telecom`.',
      ),
      emails: list(
        object('FHIR ContactPoint of system `email`.', {
          type: string('FHIR `ContactPoint.use`.', 'personal', 'work'),
          address: { type: 'string', format: 'email', description: 'FHIR `ContactPoint.value`.' },
          preferred,
        }),
        'FHIR `Patient.telecom`.',
      ),
      languages: list(
        object('FHIR `Patient.communication`.', {
          code: string('BCP 47 language tag.', 'en-US'),
          preferred: boolean('Whether this is the preferred language. FHIR `communication.preferred`.'),
        }),
        'The languages in which to communicate with the member.',
      ),
      updatedAt: dateTime('FHIR `Patient.meta.lastUpdated`.'),
    },
  ),
};
