/** Texts of controls that the dashboard does not have. */
export const controls = {
  copy: 'Copy',
  copied: (label: string) => `Copied: ${label}`,
  on: 'On',
  off: 'Off',
  previousPage: 'Previous page',
  nextPage: 'Next page',
};
