/** One script for all pages of claims: each further one would lengthen the script of the first page. */
export { ClaimPage } from './claim/claim-page.tsx';
export { ClaimsPage } from './list/claims-page.tsx';
export { SubmitPage } from './submit/submit-page.tsx';
export { SubmittedPage } from './submit/submitted-page.tsx';
