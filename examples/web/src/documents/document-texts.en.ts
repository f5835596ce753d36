export const documents = {
  title: 'Documents',
  lead: 'Explanations of benefits, letters and your ID card. A PDF opens in a new tab.',
  none: 'You have no documents.',
  open: 'Open PDF',
  opening: 'Opening …',
};
