import type { IncomingMessage, ServerResponse } from 'node:http';
import { maxReplaySeconds, replayMarginSeconds, type SessionStore } from '@portico/core';
import type { JWTPayload } from 'jose';
import { digest } from '../cookies/sealer.ts';
import { sendEmpty, sendJson } from '../http/reply.ts';
import { readBody } from '../http/request.ts';
import { verifyToken } from '../provider/id-token.ts';
import type { SessionContext } from '../session/context.ts';
import { memberLabel, signInLabel } from '../session/store-keeper.ts';

const maxBytes = 65_536;

/** From the earliest to the latest time at which a token is accepted. Afterwards, its use is still remembered for a while. */
const acceptedSeconds = maxReplaySeconds - replayMarginSeconds;

/** A larger tolerance would leave no time for the token to arrive. */
const maxToleranceSeconds = 55;

const eventType = 'http://schemas.openid.net/event/backchannel-logout';

const types = new Set(['logout+jwt', 'application/logout+jwt', 'jwt']);

/** What a logout token ends, and its id. */
interface Logout {
  readonly label: string;
  readonly tokenId: string;
}

/**
 * `POST /session/backchannel-logout` (OpenID Connect Back-Channel Logout 1.0, sections 2.5 to 2.8): ends the sessions of one
 * sign-in at the provider, or all of a member.
 */
export const backChannelLogout = (context: SessionContext, store: SessionStore) => {
  /** Logout tokens that were accepted, but whose sessions could not be removed. The provider may send them again. */
  const unfinished = new Set<string>();
  const { sealer, replays, emit } = context;

  const isFirstUse = async (tokenId: string): Promise<boolean> =>
    (await replays.use(tokenId, maxReplaySeconds)) === 'first' || unfinished.has(tokenId);

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refuse = (): void => {
      emit({ name: 'back-channel-logout-refused' });
      sendJson(request, response, { error: 'invalid_request' }, 400);
    };
    const token = await tokenIn(request);
    const logout = token === undefined ? undefined : await verified(context, token);
    // While the store is down, the token is not used up: the provider may send it again, to another instance.
    if (!logout || (await store.find(logout.tokenId)).isErr()) return refuse();
    if (!(await isFirstUse(logout.tokenId))) return refuse();
    let sessions = 0;
    for (const label of sealer.labels(logout.label)) {
      const removed = await store.removeLabelled(label);
      if (removed.isErr()) {
        unfinished.add(logout.tokenId);
        return refuse();
      }
      sessions += removed.value;
    }
    unfinished.delete(logout.tokenId);
    emit({ name: 'back-channel-logout', sessions });
    sendEmpty(request, response, 200);
  };
};

const tokenIn = async (request: IncomingMessage): Promise<string | undefined> => {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return undefined;
  const body = await readBody(request, maxBytes).catch(() => undefined);
  const tokens = new URLSearchParams(body).getAll('logout_token');
  return tokens.length === 1 ? tokens[0] : undefined;
};

/** Validates a logout token (section 2.6). Returns undefined if it is not valid. */
const verified = async (context: SessionContext, token: string): Promise<Logout | undefined> => {
  try {
    const { server, logoutKeys } = await context.findProvider();
    const clockToleranceSeconds = Math.min(context.clockToleranceSeconds, maxToleranceSeconds);
    const audience = { ...context, clockToleranceSeconds };
    const { payload, protectedHeader } = await verifyToken(token, audience, {
      issuer: server.issuer,
      keys: logoutKeys,
      maxTokenAge: acceptedSeconds - 2 * clockToleranceSeconds,
      requiredClaims: ['aud', 'exp', 'iat', 'jti', 'events'],
    });
    const { typ = 'jwt' } = protectedHeader;
    return types.has(typ.toLowerCase()) ? logoutOf(context.issuer, payload) : undefined;
  } catch {
    return undefined;
  }
};

const logoutOf = (issuer: string, { events, nonce, jti, sid, sub }: JWTPayload): Logout | undefined => {
  const event = (events as Readonly<Record<string, unknown>> | null)?.[eventType];
  if (typeof event !== 'object' || event === null || nonce !== undefined || typeof jti !== 'string') return undefined;
  const tokenId = digest(JSON.stringify(['logout', issuer, jti]));
  // With both, the token is about one sign-in (section 2.4).
  if (typeof sid === 'string') return { label: signInLabel(issuer, sid), tokenId };
  return typeof sub === 'string' && sid === undefined ? { label: memberLabel(issuer, sub), tokenId } : undefined;
};
