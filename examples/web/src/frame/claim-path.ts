/** The page of a claim, to which other areas link. */
export const claimPath = (locator: string): string => `/claims/${encodeURIComponent(locator)}`;
