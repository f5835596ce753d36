import type { IncomingMessage, ServerResponse } from 'node:http';
import { csrfHeader } from '@portico/core';
import { ok } from 'neverthrow';
import {
  clearSessionCookie,
  isSessionCookie,
  readSessionCookie,
  type SessionCookie,
  writeSessionCookie,
} from '../cookies/session-cookie.ts';
import { isLoginCookie } from '../cookies/login-cookie.ts';
import { sendFailure, sendProblem } from '../http/reply.ts';
import { isCrossSite, replaceCredentials } from '../http/request.ts';
import type { HandleRequest } from '../settings.ts';
import type { SessionContext } from './context.ts';
import type { Kept, Keeping } from './keeper.ts';
import { endOf } from './session.ts';

/** Finds the session of a cookie that has not ended. Ends one whose time has passed. */
export const findSession = async (
  { keeper, clock, lifetimes, emit }: SessionContext,
  { value, names }: SessionCookie,
): Keeping => {
  if (names.length === 0) return ok(undefined);
  const found = value === undefined ? ok(undefined) : await keeper.find(value);
  if (found.isErr()) return found;
  if (!found.value) {
    emit({ name: 'cookie-refused' });
    return found;
  }
  const reason = endOf(found.value.session, clock.now() / 1000, lifetimes);
  if (reason === undefined) return found;
  emit({ name: 'expired', reason });
  await keeper.drop(found.value);
  return ok(undefined);
};

/** Turns the cookie of the session into the `Authorization` header, in front of the member routes. */
export const authenticateRequest =
  (context: SessionContext): HandleRequest =>
  async (request, response, next) => {
    const { names } = context;
    const cookie = readSessionCookie(request, names);
    if (request.headers.authorization !== undefined || cookie.names.length === 0) return next();
    if (refusesCrossSite(context, request, response)) return;
    const found = await findSession(context, cookie);
    if (found.isErr()) return sendFailure(request, response, found.error);
    const usable = found.value ? await usableSession(context, found.value) : found;
    if (usable.isErr()) return sendFailure(request, response, usable.error);
    const { value: kept } = usable;
    if (kept && kept.cookie !== cookie.value) writeSessionCookie(response, names, kept.cookie, cookie);
    // A session that ended during this request may have been replaced by a sign-in, whose cookie must stay. A store does not
    // find the session again, so the next request clears the cookie.
    const mayBeReplaced = found.value && context.store;
    if (!kept && !mayBeReplaced) clearSessionCookie(response, names, cookie);
    const isOwn = (name: string) => isSessionCookie(name, names.session) || isLoginCookie(name, names);
    replaceCredentials(request, kept?.session.tokens.accessToken, isOwn);
    return next();
  };

/** Refuses a request that may come from another site with 403. Returns whether it did. */
export const refusesCrossSite = (
  { emit }: SessionContext,
  request: IncomingMessage,
  response: ServerResponse,
): boolean => {
  if (!isCrossSite(request)) return false;
  emit({ name: 'cross-site' });
  sendProblem(request, response, {
    code: 'cross-site',
    detail: `A request of a browser session that changes data needs the header ${csrfHeader}: 1 and the same origin.`,
  });
  return true;
};

/** The session with a usable access token, marked as used. */
const usableSession = async (context: SessionContext, found: Kept): Keeping => {
  const fresh = await context.refresher.freshen(found);
  if (fresh.isErr() || !fresh.value || !shouldTouch(context, fresh.value)) return fresh;
  const usedAt = Math.floor(context.clock.now() / 1000);
  const touched = await context.keeper.update(fresh.value, (session) =>
    // Another request may just have done the same.
    session.usedAt < usedAt ? { ...session, usedAt } : session,
  );
  // The request can be served although the store did not note its time.
  return touched.isErr() ? fresh : touched;
};

/**
 * Whether to note that the session is in use, or to seal it with the first key: about once in a minute. Not shortly before a
 * refresh: a slow response could otherwise bring the refresh token from before it back into the browser.
 */
const shouldTouch = ({ clock, lifetimes }: SessionContext, { session, isCurrentKey }: Kept): boolean => {
  const now = clock.now() / 1000;
  const { tokens, usedAt } = session;
  const quietSeconds = Math.min(60, lifetimes.idleSeconds / 4);
  const isQuiet = tokens.refreshToken !== undefined && tokens.refreshAt - now < quietSeconds;
  return !isQuiet && (!isCurrentKey || now - usedAt >= Math.min(60, lifetimes.idleSeconds / 10));
};
