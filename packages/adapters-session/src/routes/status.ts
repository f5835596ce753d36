import type { IncomingMessage, ServerResponse } from 'node:http';
import { sessionMemberHeader } from '@portico/core';
import { clearSessionCookie, readSessionCookie } from '../cookies/session-cookie.ts';
import { sendFailure, sendJson } from '../http/reply.ts';
import { findSession } from '../session/authentication.ts';
import type { SessionContext } from '../session/context.ts';
import { expiryOf } from '../session/session.ts';

/** `GET /session`: whether the browser is signed in. It does not extend the session, so a page may call it regularly. */
export const status =
  (context: SessionContext) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const cookie = readSessionCookie(request, context.names);
    const found = await findSession(context, cookie);
    if (found.isErr()) return sendFailure(request, response, found.error);
    if (!found.value) {
      clearSessionCookie(response, context.names, cookie);
      return sendJson(request, response, { authenticated: false });
    }
    const { session } = found.value;
    const expires = new Date(expiryOf(session, context.lifetimes) * 1000).toISOString();
    // The pages keep unsaved edits for the same member only.
    response.setHeader(sessionMemberHeader, session.member);
    sendJson(request, response, { authenticated: true, expires_at: expires, name: session.name });
  };
