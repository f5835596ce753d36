import type { IncomingMessage, ServerResponse } from 'node:http';
import { sessionErrorParameter, type SignInError } from '@portico/core';
import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi';
import { redirect } from '../http/reply.ts';
import { ProviderError } from '../provider/provider-fetch.ts';
import type { SessionContext } from '../session/context.ts';

/** Redirects to the first page with a code of `signInErrors`. The page shows nothing that the provider sent. */
export const redirectWithError = (
  { publicUrl, emit }: SessionContext,
  request: IncomingMessage,
  response: ServerResponse,
  { reason, detail }: { readonly reason: SignInError; readonly detail?: string | undefined },
): void => {
  emit({ name: 'sign-in-failed', reason, ...(detail !== undefined && { detail }) });
  redirect(request, response, `${publicUrl}/?${sessionErrorParameter}=${reason}`);
};

/** Redirects for an error of oauth4webapi, jose or the connection to the provider. */
export const failSignIn = (
  context: SessionContext,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void => redirectWithError(context, request, response, { reason: reasonOf(error), detail: detailOf(error) });

const reasonOf = (error: unknown): SignInError => {
  if (error instanceof ProviderError) return error.reason === 'malformed' ? 'failed' : 'unavailable';
  if (error instanceof AuthorizationResponseError) return reasons.get(error.error) ?? 'failed';
  return error instanceof ResponseBodyError && error.status >= 500 ? 'unavailable' : 'failed';
};

/** Errors of the authorization response (RFC 6749, section 4.1.2.1). */
const reasons: ReadonlyMap<string, SignInError> = new Map([
  ['access_denied', 'denied'],
  ['server_error', 'unavailable'],
  ['temporarily_unavailable', 'unavailable'],
]);

/** Errors of both endpoints (RFC 6749, sections 4.1.2.1 and 5.2; OpenID Connect Core 1.0, section 3.1.2.6). */
const knownErrors = new Set([
  'access_denied',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
]);

/** A code for the operator: one of RFC 6749, or of the library. Never a text of the provider. */
const detailOf = (error: unknown): string | undefined => {
  if (error instanceof ProviderError) return error.reason;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return knownErrors.has(error.error) ? error.error : undefined;
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^(?:OAUTH|ERR)_[A-Z_]+$/.test(code) ? code : undefined;
};
