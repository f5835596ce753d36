import type { Schema } from '../format.ts';
import { code, date, boolean, dateTime, list, object, string } from './schema-builders.ts';

const stringOrNull = (description: string): Schema => ({ type: ['string', 'null'], description });

const preferred = boolean('Whether this is the preferred contact point. FHIR: `ContactPoint.rank` 1.');

export const policySchemas: Readonly<Record<string, Schema>> = {
  Profile: object(
    'The member’s party details in policy administration. Recommended: FHIR R4 Patient and its data types.',
    {
      partyLocator: string('Locator of the member. FHIR `Patient.identifier`.', 'PTY-1001'),
      name: object('Name of the member. FHIR HumanName.', {
        given: string('Given name. FHIR `HumanName.given`.'),
        family: string('Family name. FHIR `HumanName.family`.'),
        display: string('Full name for display. FHIR `HumanName.text`.', 'Sample Member A'),
      }),
      dateOfBirth: date('Date of birth. FHIR `Patient.birthDate`.'),
      address: object('Postal address. FHIR Address.', {
        line1: stringOrNull('Street address. FHIR `Address.line`, first line.'),
        line2: stringOrNull('Address supplement. FHIR `Address.line`, second line.'),
        city: stringOrNull('City. FHIR `Address.city`.'),
        state: stringOrNull('State or region. FHIR `Address.state`; in the US, the two-letter postal abbreviation.'),
        postalCode: stringOrNull('Postal code. FHIR `Address.postalCode`.'),
        country: stringOrNull('Country. FHIR `Address.country`: ISO 3166-1 alpha-2.'),
      }),
      phones: list(
        object('A phone number. FHIR ContactPoint of system `phone`.', {
          type: code('Use of the phone number. FHIR `ContactPoint.use`.', 'home', 'work', 'temp', 'old', 'mobile'),
          number: string('Phone number with country code (ITU-T E.164, hyphens allowed).', '+1-202-555-0101'),
          preferred,
        }),
        'Phone numbers. FHIR `Patient.telecom`.',
      ),
      emails: list(
        object('An email address. FHIR ContactPoint of system `email`.', {
          type: string('Use of the email address. FHIR `ContactPoint.use`.', 'personal', 'work'),
          address: { type: 'string', format: 'email', description: 'The email address. FHIR `ContactPoint.value`.' },
          preferred,
        }),
        'Email addresses. FHIR `Patient.telecom`.',
      ),
      languages: list(
        object('A language. FHIR `Patient.communication`.', {
          code: string('BCP 47 language tag.', 'en-US'),
          preferred: boolean('Whether this is the preferred language. FHIR `communication.preferred`.'),
        }),
        'The languages in which to communicate with the member.',
      ),
      updatedAt: dateTime('Time of the last change. FHIR `Patient.meta.lastUpdated`.'),
    },
  ),
};
