import type { Schema } from '../format.ts';
import { code, dateTime, list, object, string } from './schema-builders.ts';

export const consentSchemas: Readonly<Record<string, Schema>> = {
  ConsentState: object('The member’s consent state. Recommended: one FHIR R4 Consent per purpose.', {
    consents: list(
      object('Consent for one purpose. FHIR Consent.', {
        locator: string('Locator of the consent. FHIR `Consent.identifier`.', 'CNS-1001-1'),
        purpose: string(
          'Purpose of the consent. FHIR `Consent.provision.purpose`.',
          'share-with-providers',
          'care-management',
          'marketing',
        ),
        state: code(
          'State of the consent. FHIR: `Consent.provision.type` `permit` or `deny`; `withdrawn` corresponds to `Consent.status` `inactive`.',
          'granted',
          'denied',
          'withdrawn',
        ),
        version: string('Version of the consent text. FHIR `Consent.policy.uri`.', '2026.1'),
        updatedAt: dateTime('Time of the last change. FHIR `Consent.dateTime`.'),
      }),
      'One consent per purpose.',
    ),
  }),
};
