import type { IncomingMessage, ServerResponse } from 'node:http';
import { csrfHeader, type Failure, sessionMemberHeader } from '@portico/core';
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
import { endOf, type Session } from './session.ts';

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

const memberField = sessionMemberHeader.toLowerCase();

/** Turns the cookie of the session into the `Authorization` header, in front of the member routes. */
export const authenticateRequest =
  (context: SessionContext): HandleRequest =>
  async (request, response, next) => {
    const { names, emit } = context;
    const cookie = readSessionCookie(request, names);
    if (request.headers.authorization !== undefined || cookie.names.length === 0) return next();
    if (refusesCrossSite(context, request, response)) return;
    const found = await findSession(context, cookie);
    if (found.isErr()) return sendFailure(request, response, found.error);
    const isOwn = (name: string) => isSessionCookie(name, names.session) || isLoginCookie(name, names);
    const expected = request.headers[memberField];
    if (found.value && expected !== undefined && expected !== found.value.session.member) {
      // The page belongs to a member who was signed in before: it must not use the session of this one.
      emit({ name: 'other-member' });
      replaceCredentials(request, undefined, isOwn);
      return next();
    }
    const usable = found.value ? await usableSession(context, found.value) : found;
    if (usable.isErr()) {
      const touched = found.value && (await touchUnrefreshed(context, found.value, usable.error)).unwrapOr(undefined);
      if (touched) writeNewerCookie(context, response, { kept: touched, cookie });
      return sendFailure(request, response, usable.error);
    }
    const { value: kept } = usable;
    if (kept) {
      const isRefreshed = kept.session.tokens !== found.value?.session.tokens;
      // When the header is sent, another request may have refreshed the session.
      const isWanted = () => isRefreshed || !isQuiet(context, kept.session);
      writeNewerCookie(context, response, { kept, cookie, isWanted });
    }
    // Leaves the cookie if it may be newer: the keeper no longer finds the session, so the next request clears it.
    const mayBeReplaced = found.value && context.keeper.mayBeReplaced(found.value);
    if (!kept && !mayBeReplaced) clearSessionCookie(response, names, cookie);
    replaceCredentials(request, kept?.session.tokens.accessToken, isOwn);
    return next();
  };

/** Sets the cookie if the session has a newer one, unless the cookie of a later sign-in may be in the browser by then. */
const writeNewerCookie = (
  { keeper, names, clock, lifetimes }: SessionContext,
  response: ServerResponse,
  {
    kept,
    cookie,
    isWanted = () => true,
  }: { readonly kept: Kept; readonly cookie: SessionCookie; readonly isWanted?: () => boolean },
): void => {
  if (kept.cookie === cookie.value) return;
  let isWritten: boolean | undefined;
  // Once for all parts of the cookie.
  writeSessionCookie(response, names, kept.cookie, cookie, () => {
    isWritten ??=
      !keeper.mayBeReplaced(kept) && endOf(kept.session, clock.now() / 1000, lifetimes) === undefined && isWanted();
    return isWritten;
  });
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
  if (fresh.isErr() || !fresh.value || isQuiet(context, fresh.value.session)) return fresh;
  const touched = await touch(context, fresh.value);
  // The request can be served although the store did not note its time.
  return touched.isErr() ? fresh : touched;
};

/** Notes that the session is in use, or seals it with the first key: about once in a minute. */
const touch = async ({ clock, keeper, lifetimes }: SessionContext, kept: Kept): Keeping => {
  const now = clock.now() / 1000;
  const usedAt = Math.floor(now);
  if (kept.isCurrentKey && now - kept.session.usedAt < Math.min(60, lifetimes.idleSeconds / 10)) return ok(kept);
  return keeper.update(kept, (session) =>
    // Another request may just have done the same.
    session.usedAt < usedAt ? { ...session, usedAt } : session,
  );
};

/**
 * Notes the use of a session that the provider does not refresh now, so that a long outage does not end it. Another instance may
 * refresh it at the same time, and its cookie must not be replaced with this one: therefore in the cookie only shortly before the
 * session would end.
 */
const touchUnrefreshed = async (context: SessionContext, kept: Kept, failure: Failure): Keeping => {
  if (!('service' in failure) || failure.service !== 'identity') return ok(kept);
  const unusedSeconds = context.clock.now() / 1000 - kept.session.usedAt;
  return context.store || unusedSeconds > 0.75 * context.lifetimes.idleSeconds ? touch(context, kept) : ok(kept);
};

/** Whether a refresh is near: a slow response could restore the previous refresh token in the browser. */
const isQuiet = ({ clock, lifetimes }: SessionContext, { tokens }: Session): boolean =>
  tokens.refreshToken !== undefined && tokens.refreshAt - clock.now() / 1000 < Math.min(60, lifetimes.idleSeconds / 4);
