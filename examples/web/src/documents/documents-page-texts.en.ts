/** The texts of the page; `document-texts` has those that the dashboard needs too. */
export const documentsPage = {
  title: 'Documents',
  lead: 'Explanations of benefits, letters and your ID card. A PDF opens in a new tab.',
  list: 'Your documents',
  type: 'Type',
  year: 'Year',
  all: 'All',
  shown: (count: number) => (count === 1 ? '1 document' : `${count} documents`),
  noneMatch: 'No document matches both filters.',
  showAll: 'Show all documents',
  claim: 'Claim',
  types: {
    eob: 'Explanation of benefits',
    'id-card': 'ID card',
    policy: 'Policy',
    letter: 'Letter',
  },
};
