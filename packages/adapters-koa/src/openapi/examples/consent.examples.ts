/** Examples of the OpenAPI document, equal to what the sandbox returns for `member-a` (e2e/documentation/openapi.test.ts). Lists are shortened. */

export const consentState = {
  consents: [
    {
      locator: 'CNS-1001-1',
      purpose: 'share-with-providers',
      state: 'granted',
      version: '2026.1',
      updatedAt: '2026-01-03T14:10:00.000Z',
    },
    {
      locator: 'CNS-1001-2',
      purpose: 'electronic-delivery',
      state: 'granted',
      version: '2026.1',
      updatedAt: '2026-01-03T14:10:00.000Z',
    },
  ],
};

export const changedConsent = { consents: [{ purpose: 'research', state: 'granted' }] };
