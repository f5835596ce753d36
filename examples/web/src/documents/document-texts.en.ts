export const documents = {
  none: 'You have no documents.',
  open: 'Open PDF',
  opening: 'Opening …',
};
