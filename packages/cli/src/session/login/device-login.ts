import { setTimeout } from 'node:timers/promises';
import type { Transport } from '@portico/adapters-http';
import type { JsonObject } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { signInError } from '../../output/failure-message.ts';
import type { CliError } from '../../output/cli-error.ts';
import { type DeviceEndpoints, deviceEndpoints, malformed, sendToProvider } from './oauth-client.ts';
import type { SavedToken } from './saved-token.ts';

export interface LoginClient {
  /** How requests are sent to the provider. */
  readonly transport: Transport;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly scope?: string;
}

/** Where the user enters which code. */
export interface DeviceCode {
  readonly url: string;
  readonly userCode: string;
}

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** In seconds. Codes are usually valid for 5 to 30 minutes; a provider must state it, but some do not. */
const maxLifetime = 3600;

/** Signs in by device code (RFC 8628): shows a code, then polls until the user has confirmed it in a browser. */
export const loginByDevice = async (
  client: LoginClient,
  show: (code: DeviceCode) => void,
  signal: AbortSignal,
): Promise<Result<SavedToken, CliError>> => {
  const endpoints = await deviceEndpoints(client.transport, client.issuer, signal);
  if (endpoints.isErr()) return err(endpoints.error);
  const { scope = 'openid' } = client;
  const started = await sendToProvider(client.transport, endpoints.value.device, signal, {
    ...credentialsOf(client),
    scope,
  });
  if (started.isErr()) return err(started.error);
  const { status, body } = started.value;
  const { device_code: deviceCode, user_code: userCode, verification_uri: url, interval } = body;
  if (status !== 200) return err(rejected(body));
  if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof url !== 'string') return err(malformed);
  show({
    url: typeof body['verification_uri_complete'] === 'string' ? body['verification_uri_complete'] : url,
    userCode,
  });
  const { expires_in: lifetime } = body;
  const polling = {
    interval: typeof interval === 'number' && interval >= 0 ? interval : 5,
    endsAt: performance.now() + 1000 * Math.min(typeof lifetime === 'number' ? lifetime : Infinity, maxLifetime),
  };
  return poll(client, endpoints.value, deviceCode, polling, signal);
};

/** How often in a row a poll may fail, as when a laptop changes its network. */
const maxFailures = 5;

/** Polls until the user has confirmed the code (RFC 8628, section 3.5), and less often after each failed request. */
const poll = async (
  client: LoginClient,
  { token }: DeviceEndpoints,
  deviceCode: string,
  { interval, endsAt }: { readonly interval: number; readonly endsAt: number },
  signal: AbortSignal,
): Promise<Result<SavedToken, CliError>> => {
  let seconds = interval;
  for (let failures = 0; ;) {
    // Not longer than the code is valid: a timer of more than 24 days ends at once.
    const left = Math.max(0, endsAt - performance.now());
    const isLast = seconds * 1000 >= left;
    await setTimeout(isLast ? left : seconds * 1000, undefined, { signal }).catch(() => undefined);
    if (isLast) return err(rejected({ error: 'expired_token' }));
    const form = { ...credentialsOf(client), grant_type: grantType, device_code: deviceCode };
    const polled = await sendToProvider(client.transport, token, signal, form);
    if (polled.isErr()) {
      failures += 1;
      if (signal.aborted || failures > maxFailures) return err(polled.error);
      seconds *= 2;
      continue;
    }
    failures = 0;
    const { status, body } = polled.value;
    if (status === 200) return savedToken(client, body);
    if (body['error'] === 'slow_down') seconds += 5;
    else if (body['error'] !== 'authorization_pending') return err(rejected(body));
  }
};

/** Gets a new access token with the refresh token of a saved sign-in (RFC 6749, section 6). */
export const refresh = async (
  client: LoginClient,
  saved: SavedToken,
  signal: AbortSignal,
): Promise<Result<SavedToken, CliError>> => {
  const endpoints = await deviceEndpoints(client.transport, client.issuer, signal);
  if (endpoints.isErr()) return err(endpoints.error);
  const form = { ...credentialsOf(client), grant_type: 'refresh_token', refresh_token: saved.refreshToken ?? '' };
  // Not aborted by Ctrl-C: the provider may have replaced the refresh token already, and the new one would be lost.
  const response = await sendToProvider(client.transport, endpoints.value.token, new AbortController().signal, form);
  if (response.isErr()) return err(response.error);
  const { status, body } = response.value;
  // A provider that does not rotate refresh tokens returns none.
  const { refresh_token: next } = body;
  return status === 200 ? savedToken(client, { ...body, refresh_token: next || saved.refreshToken }) : err(expired);
};

const credentialsOf = ({ clientId, clientSecret }: LoginClient): Record<string, string> => ({
  client_id: clientId,
  ...(clientSecret !== undefined && { client_secret: clientSecret }),
});

const savedToken = ({ issuer, clientId }: LoginClient, body: JsonObject): Result<SavedToken, CliError> => {
  const { access_token: accessToken, expires_in: expiresIn, refresh_token: refreshToken } = body;
  if (typeof accessToken !== 'string' || accessToken === '') return err(malformed);
  // Some providers send a string.
  const lifetime = Number(expiresIn);
  return ok({
    issuer,
    clientId,
    accessToken,
    ...(lifetime > 0 && Number.isFinite(lifetime) && { expiresAt: Date.now() + lifetime * 1000 }),
    ...(typeof refreshToken === 'string' && { refreshToken }),
  });
};

export const expired = signInError('The saved sign-in has expired.', 'Run "portico login" again.');

/** Reads only the error code: a description may quote the request. */
const rejected = ({ error }: JsonObject): CliError => {
  if (error === 'expired_token')
    return signInError('The code expired before it was confirmed.', 'Run "portico login" again.');
  if (error === 'access_denied') return signInError('The sign-in was refused.', 'Run "portico login" again.');
  return signInError(
    'The identity provider rejected the sign-in.',
    'Check --client-id (PORTICO_CLIENT_ID), PORTICO_CLIENT_SECRET and --scope, and that the client may use device codes.',
  );
};
