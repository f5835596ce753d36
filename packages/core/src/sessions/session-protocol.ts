/** The status of a browser session, and the start of the paths of its other routes (contract, section 11). */
export const sessionPath = '/session';

/** Starts a sign-in (contract, section 11). */
export const sessionLoginPath = `${sessionPath}/login`;

/** Signs out (contract, section 11). */
export const sessionLogoutPath = `${sessionPath}/logout`;

/** Receives the logout tokens of the identity provider: for many members at once, all from its own address. */
export const backChannelLogoutPath = `${sessionPath}/backchannel-logout`;

/** The query parameter by which Portico reports to the pages why a sign-in failed. */
export const sessionErrorParameter = 'session_error';

/**
 * The values of `session_error`. `denied`: the member or the identity provider refused, or the provider ended the sign-in
 * before it was complete. `expired`: the attempt is older than `maxSignInMs`, was used already, or began in another browser.
 * `unavailable`: the provider or the session store did not respond. `failed`: the provider's response was not valid.
 */
export const signInErrors = ['denied', 'expired', 'unavailable', 'failed'] as const;

export type SignInError = (typeof signInErrors)[number];

/** `1` in each request of a browser session that changes data: a page of another site cannot set it (contract, section 11). */
export const csrfHeader = 'X-Portico-Csrf';

/**
 * In the response of `GET /session`: an opaque value that identifies the member. In a member request: the member that the page
 * belongs to; if the session is of another one, the response is 401 (contract, section 11).
 */
export const sessionMemberHeader = 'X-Portico-Member';
