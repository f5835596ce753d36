/** Names of claims, which the dashboard needs, too. */
export const claimNames = {
  claim: 'Claim',
  ofKind: (kind: string) => `${kind} claim`,
  kinds: {
    professional: 'Medical',
    institutional: 'Hospital',
    oral: 'Dental',
    vision: 'Vision',
    pharmacy: 'Pharmacy',
  },
  statuses: { received: 'Received', 'in-review': 'In review', paid: 'Paid', denied: 'Denied' },
};
