/** The status of a browser session, and the start of the paths of its other routes (contract, section 11). */
export const sessionPath = '/session';

/** Starts a sign-in (contract, section 11). */
export const sessionLoginPath = `${sessionPath}/login`;

/** Signs out (contract, section 11). */
export const sessionLogoutPath = `${sessionPath}/logout`;

/** `1` in each request of a browser session that changes data: a page of another site cannot set it (contract, section 11). */
export const csrfHeader = 'X-Portico-Csrf';

/** In the response of `GET /session`: an opaque value that identifies the member (contract, section 11). */
export const sessionMemberHeader = 'X-Portico-Member';
