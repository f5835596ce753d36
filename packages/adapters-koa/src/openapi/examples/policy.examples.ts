/** Examples of the OpenAPI document, equal to what the sandbox returns for `member-a` (e2e/documentation/openapi.test.ts). */

export const profilePatch = { address: { line1: '100 Example Street', city: 'Sampleton' } };

export const profile = {
  partyLocator: 'PTY-1001',
  name: { given: 'Sample', family: 'Member A', display: 'Sample Member A' },
  dateOfBirth: '1984-04-17',
  address: {
    line1: '100 Example Street',
    line2: 'Apartment 4',
    city: 'Sampleton',
    state: 'OH',
    postalCode: '00001',
    country: 'US',
  },
  phones: [
    { type: 'mobile', number: '+1-202-555-0101', preferred: true },
    { type: 'home', number: '+1-202-555-0111', preferred: false },
  ],
  emails: [{ type: 'personal', address: 'member-a@example.com', preferred: true }],
  languages: [
    { code: 'en-US', preferred: true },
    { code: 'es-US', preferred: false },
  ],
  updatedAt: '2026-02-02T15:04:11.000Z',
};
