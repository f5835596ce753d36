/** Icons of Lucide, as in `design/icon-paths.ts`, that only offers have: the first page does without them. */
export const offerIconPaths = {
  location: [
    'M20 10c0 4.993-5.539 10.193-7.399 11.799a1 1 0 0 1-1.202 0C9.539 20.193 4 14.993 4 10a8 8 0 0 1 16 0',
    'M9 10a3 3 0 1 0 6 0a3 3 0 1 0 -6 0',
  ],
  // The star of Feather: that of Lucide has 360 characters.
  star: ['m12 2 3.09 6.26L22 9.27l-5 4.87 1.18 6.88L12 17.77l-6.18 3.25L7 14.14 2 9.27l6.91-1.01z'],
} as const;
