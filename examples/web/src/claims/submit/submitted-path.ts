/** The confirmation. It has no locator in its URL, because there may be none yet. */
export const submittedPath = '/claims/new/submitted';
