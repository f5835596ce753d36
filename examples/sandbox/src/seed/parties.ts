/** A member's data in the policy administration system, and the member's consents. */
export type SeedProfile = {
  readonly partyLocator: string;
  readonly name: { readonly given: string; readonly family: string; readonly display: string };
  readonly dateOfBirth: string;
  readonly address: {
    readonly line1: string;
    readonly line2: string | null;
    readonly city: string;
    readonly state: string;
    readonly postalCode: string;
    readonly country: 'US';
  };
  readonly phones: readonly {
    readonly type: 'mobile' | 'home';
    readonly number: string;
    readonly preferred: boolean;
  }[];
  readonly emails: readonly {
    readonly type: 'personal' | 'work';
    readonly address: string;
    readonly preferred: boolean;
  }[];
  readonly languages: readonly { readonly code: string; readonly preferred: boolean }[];
  readonly updatedAt: string;
};

type Purpose = 'share-with-providers' | 'electronic-delivery' | 'care-management' | 'marketing' | 'research';

export type SeedConsent = {
  readonly consents: readonly {
    readonly locator: string;
    readonly purpose: Purpose;
    readonly state: 'granted' | 'denied' | 'withdrawn';
    readonly version: string;
    readonly updatedAt: string;
  }[];
};

// Telephone numbers 555-0100 to 555-0199 and the domain example.com are reserved for examples.
export const profileOfA: SeedProfile = {
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

export const profileOfB: SeedProfile = {
  partyLocator: 'PTY-1002',
  name: { given: 'Sample', family: 'Member B', display: 'Sample Member B' },
  dateOfBirth: '1991-11-02',
  address: {
    line1: '22 Placeholder Avenue',
    line2: null,
    city: 'Specimen Falls',
    state: 'OR',
    postalCode: '00002',
    country: 'US',
  },
  phones: [{ type: 'mobile', number: '+1-202-555-0102', preferred: true }],
  emails: [
    { type: 'personal', address: 'member-b@example.com', preferred: true },
    { type: 'work', address: 'b@software.example', preferred: false },
  ],
  languages: [{ code: 'en-US', preferred: true }],
  updatedAt: '2025-07-01T09:30:00.000Z',
};

export const profileOfC: SeedProfile = {
  partyLocator: 'PTY-1003',
  name: { given: 'Sample', family: 'Member C', display: 'Sample Member C' },
  dateOfBirth: '1973-01-25',
  address: {
    line1: '7 Demonstration Road',
    line2: null,
    city: 'Mockville',
    state: 'TX',
    postalCode: '00003',
    country: 'US',
  },
  phones: [{ type: 'home', number: '+1-202-555-0103', preferred: true }],
  emails: [{ type: 'personal', address: 'member-c@example.com', preferred: true }],
  languages: [
    { code: 'es-US', preferred: true },
    { code: 'en-US', preferred: false },
  ],
  updatedAt: '2026-01-05T18:22:40.000Z',
};

export const consentOfA: SeedConsent = {
  consents: [
    consent('CNS-1001-1', 'share-with-providers', 'granted', '2026-01-03T14:10:00.000Z'),
    consent('CNS-1001-2', 'electronic-delivery', 'granted', '2026-01-03T14:10:00.000Z'),
    consent('CNS-1001-3', 'care-management', 'granted', '2026-03-11T20:45:09.000Z'),
    consent('CNS-1001-4', 'marketing', 'withdrawn', '2026-04-01T08:00:31.000Z'),
    consent('CNS-1001-5', 'research', 'denied', '2026-01-03T14:10:00.000Z'),
  ],
};

export const consentOfB: SeedConsent = {
  consents: [
    consent('CNS-1002-1', 'share-with-providers', 'granted', '2025-07-01T09:31:12.000Z'),
    consent('CNS-1002-2', 'electronic-delivery', 'denied', '2025-07-01T09:31:12.000Z'),
    consent('CNS-1002-3', 'marketing', 'denied', '2025-07-01T09:31:12.000Z'),
  ],
};

export const consentOfC: SeedConsent = {
  consents: [consent('CNS-1003-1', 'share-with-providers', 'granted', '2026-01-05T18:22:40.000Z')],
};

function consent(
  locator: string,
  purpose: Purpose,
  state: SeedConsent['consents'][number]['state'],
  updatedAt: string,
): SeedConsent['consents'][number] {
  return { locator, purpose, state, version: '2026.1', updatedAt };
}
