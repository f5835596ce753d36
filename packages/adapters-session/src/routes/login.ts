import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { calculatePKCECodeChallenge } from 'oauth4webapi';
import { attemptSeconds, type LoginAttempt, writeLoginAttempt } from '../cookies/login-cookie.ts';
import { maxAgePattern, protocolParameters } from '../defaults.ts';
import { redirect, sendProblem } from '../http/reply.ts';
import { queryOf } from '../http/request.ts';
import { readReturnTo } from '../http/return-to.ts';
import { ProviderError } from '../provider/provider-fetch.ts';
import { secureUrl } from '../provider/provider-url.ts';
import type { SessionContext } from '../session/context.ts';
import { sessionPaths } from '../settings.ts';
import { failSignIn } from './sign-in-failure.ts';

interface LoginSettings {
  readonly scope: string;
  readonly authorizeParameters: Readonly<Record<string, string>>;
}

/** Throws a TypeError if a parameter would replace one of the protocol, or is not valid. */
export const checkAuthorizeParameters = (parameters: Readonly<Record<string, string>>): void => {
  for (const name of Object.keys(parameters))
    if (protocolParameters.has(name)) throw new TypeError(`sessions: authorizeParameters must not contain ${name}`);
  if (!maxAgePattern.test(parameters['max_age'] ?? '0'))
    throw new TypeError('sessions: max_age in authorizeParameters must be a whole number of seconds');
};

export const callbackUrlOf = ({ publicUrl }: Pick<SessionContext, 'publicUrl'>): string =>
  `${publicUrl}${sessionPaths.callback}`;

const random = (): string => randomBytes(32).toString('base64url');

/** `GET /session/login`: starts the authorization code flow with PKCE (RFC 6749, section 4.1; RFC 7636). */
export const login =
  (context: SessionContext, settings: LoginSettings) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { names, sealer, clock } = context;
    const returnTo = returnToOf(queryOf(request), context);
    if (returnTo === undefined)
      return sendProblem(request, response, {
        code: 'invalid-request',
        detail: 'The query is not valid.',
        errors: [{ path: '/return_to', message: 'must be one path of this origin, but not /session or below it' }],
      });
    const expiresAt = Math.floor(clock.now() / 1000) + attemptSeconds;
    const attempt = { state: random(), nonce: random(), codeVerifier: random(), returnTo, expiresAt };
    try {
      const { server } = await context.findProvider();
      const location = await authorizationUrl(server.authorization_endpoint, attempt, context, settings);
      await writeLoginAttempt(request, response, { names, sealer, attempt });
      redirect(request, response, location);
    } catch (error) {
      failSignIn(context, request, response, error);
    }
  };

const returnToOf = (query: URLSearchParams, { publicUrl }: SessionContext): string | undefined => {
  const [returnTo = new URL(`${publicUrl}/`).pathname, ...more] = query.getAll('return_to');
  return more.length > 0 ? undefined : readReturnTo(returnTo);
};

const authorizationUrl = async (
  endpoint: string | undefined,
  { state, nonce, codeVerifier }: LoginAttempt,
  context: SessionContext,
  { scope, authorizeParameters }: LoginSettings,
): Promise<string> => {
  if (endpoint === undefined) throw new ProviderError('malformed');
  const url = secureUrl(endpoint, 'authorization_endpoint of the identity provider');
  const parameters = {
    ...authorizeParameters,
    client_id: context.clientId,
    redirect_uri: callbackUrlOf(context),
    response_type: 'code',
    scope,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};
