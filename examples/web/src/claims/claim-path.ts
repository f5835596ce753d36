/** The page of a claim. */
export const claimPath = (locator: string): string => `/claims/${encodeURIComponent(locator)}`;
