import type { Schema } from '../format.ts';
import { code, instant, list, object, text } from './schema-words.ts';

export const consentSchemas: Readonly<Record<string, Schema>> = {
  ConsentState: object('What the member has agreed to. Recommended: FHIR R4 Consent, one for each purpose.', {
    consents: list(
      object('FHIR Consent.', {
        locator: text('FHIR `Consent.identifier`.', 'CNS-1001-1'),
        purpose: text('FHIR `Consent.provision.purpose`.', 'share-with-providers', 'care-management', 'marketing'),
        state: code(
          'FHIR: `Consent.provision.type` `permit` or `deny`; withdrawn is `Consent.status` `inactive`.',
          'granted',
          'denied',
          'withdrawn',
        ),
        version: text('Of the text that was agreed to. FHIR `Consent.policy.uri`.', '2026.1'),
        updatedAt: instant('FHIR `Consent.dateTime`.'),
      }),
      'One for each purpose.',
    ),
  }),
};
