/** Examples of the OpenAPI document, equal to what the sandbox returns for `member-a` (e2e/documentation/openapi.test.ts). Lists are shortened. */

export const documentList = {
  documents: [
    {
      locator: 'DOC-EOB-1001-05',
      type: 'eob',
      title: 'Explanation of benefits, Example Physical Therapy',
      date: '2026-05-19',
      claimLocator: 'CLM-1001-05',
      fileName: 'explanation-of-benefits-CLM-1001-05.pdf',
    },
    {
      locator: 'DOC-EOB-1001-04',
      type: 'eob',
      title: 'Explanation of benefits, Specimen Reference Laboratory',
      date: '2026-04-28',
      claimLocator: 'CLM-1001-04',
      fileName: 'explanation-of-benefits-CLM-1001-04.pdf',
    },
  ],
};
