export const copy = {
  action: 'Copy',
  copied: (label: string) => `Copied: ${label}`,
};
