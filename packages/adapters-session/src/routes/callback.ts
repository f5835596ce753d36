import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LoginAttempt, takeLoginAttempt } from '../cookies/login-cookie.ts';
import { readSessionCookie, writeSessionCookie } from '../cookies/session-cookie.ts';
import { redirect } from '../http/reply.ts';
import { queryOf } from '../http/request.ts';
import type { SignIn } from '../provider/token-endpoint.ts';
import type { SessionContext } from '../session/context.ts';
import { memberName, type Session } from '../session/session.ts';
import { callbackUrlOf } from './login.ts';
import { failSignIn, redirectWithError } from './sign-in-failure.ts';

/** `GET /session/callback`: ends the sign-in that this browser has begun, with a new session. */
export const callback =
  (context: SessionContext) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { names, sealer, clock } = context;
    const beganAt = clock.monotonic();
    const query = queryOf(request);
    const [state = '', ...more] = query.getAll('state');
    const now = clock.now() / 1000;
    const attempt =
      more.length === 0 ? await takeLoginAttempt(request, response, { names, sealer, state, now }) : undefined;
    if (!attempt) return redirectWithError(context, request, response, { reason: 'expired' });
    try {
      const provider = await context.findProvider();
      const signIn = await context.endpoint.signIn(provider, query, attempt, callbackUrlOf(context));
      await begin(context, request, response, { signIn, attempt, beganAt });
    } catch (error) {
      failSignIn(context, request, response, error);
    }
  };

const begin = async (
  context: SessionContext,
  request: IncomingMessage,
  response: ServerResponse,
  { signIn, attempt, beganAt }: { readonly signIn: SignIn; readonly attempt: LoginAttempt; readonly beganAt: number },
): Promise<void> => {
  const { keeper, names, publicUrl, refresher, emit } = context;
  const before = readSessionCookie(request, names);
  const created = await keeper.create(sessionOf(signIn, context), beganAt);
  const isCreated = created.isOk() && 'cookie' in created.value;
  if (!isCreated) void refresher.revoke(signIn.tokens.refreshToken);
  if (created.isErr()) return redirectWithError(context, request, response, { reason: 'unavailable' });
  if ('refusal' in created.value) {
    const { refusal: detail } = created.value;
    return redirectWithError(context, request, response, { reason: detail === 'ended' ? 'denied' : 'failed', detail });
  }
  // Nothing of an earlier session remains: not its id, not its entry in the store.
  const earlier = before.value === undefined ? undefined : await keeper.find(before.value);
  if (earlier?.isOk() && earlier.value) await keeper.end(earlier.value);
  writeSessionCookie(response, names, created.value.cookie, before);
  emit({ name: 'sign-in' });
  redirect(request, response, new URL(attempt.returnTo, publicUrl).href);
};

const maxNameLength = 128;

const sessionOf = ({ tokens, claims }: SignIn, { clock, sealer, issuer }: SessionContext): Session => {
  const now = Math.floor(clock.now() / 1000);
  const { sid, name } = claims;
  return {
    id: randomBytes(16).toString('base64url'),
    tokens,
    subject: claims.sub,
    member: sealer.labels(memberName(issuer, claims.sub))[0],
    ...(typeof sid === 'string' && { providerSession: sid }),
    ...(typeof name === 'string' && { name: name.slice(0, maxNameLength) }),
    usedAt: now,
    beganAt: now,
  };
};
