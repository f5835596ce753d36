import type { IncomingMessage, ServerResponse } from 'node:http';
import { clearSessionCookie, readSessionCookie } from '../cookies/session-cookie.ts';
import { sendFailure, sendJson } from '../http/reply.ts';
import { secureUrl } from '../provider/provider-url.ts';
import { findSession, refusesCrossSite } from '../session/authentication.ts';
import type { SessionContext } from '../session/context.ts';

/**
 * `POST /session/logout`: ends the session, revokes its refresh token, and returns where the page ends the session of the
 * provider. If the store does not respond, the cookie stays, so that the page can try again.
 */
export const logout =
  (context: SessionContext) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { names, refresher, emit } = context;
    if (refusesCrossSite(context, request, response)) return;
    const cookie = readSessionCookie(request, names);
    const found = await findSession(context, cookie);
    if (found.isErr()) return sendFailure(request, response, found.error);
    if (found.value) {
      const ended = await refresher.end(found.value);
      if (ended.isErr()) return sendFailure(request, response, ended.error);
      emit({ name: 'sign-out' });
    }
    clearSessionCookie(response, names, cookie);
    sendJson(request, response, { logout_url: await logoutPage(context) });
  };

/**
 * OpenID Connect RP-Initiated Logout 1.0, section 2, with `client_id` in place of `id_token_hint`: the ID token would double
 * the cookie, and its claims would be in the history of the browser.
 */
const logoutPage = async ({ findProvider, clientId, publicUrl, logoutUrl }: SessionContext): Promise<string> => {
  if (logoutUrl !== undefined) return logoutUrl;
  const home = `${publicUrl}/`;
  try {
    const { server } = await findProvider();
    if (server.end_session_endpoint === undefined) return home;
    const url = secureUrl(server.end_session_endpoint, 'end_session_endpoint of the identity provider');
    url.searchParams.set('client_id', clientId);
    url.searchParams.set('post_logout_redirect_uri', home);
    return url.href;
  } catch {
    return home;
  }
};
