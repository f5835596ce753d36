import { discoveryUrl, isEndpointOf, type Transport } from '@portico/adapters-http';
import { isObject, type JsonObject, upstream } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { send } from '../../connection/send.ts';
import { cliErrorOf } from '../../output/failure-message.ts';
import { type CliError, usageError } from '../../output/cli-error.ts';

const timeoutMs = 10_000;

/** This timeout is not a setting, unlike that of a service. */
const timedOut: CliError = {
  ...cliErrorOf(upstream('identity', 'timeout')),
  hint: `It did not respond within ${timeoutMs / 1000} seconds. Run the command again.`,
};

/** The provider's response is not in the form that OAuth defines. */
export const malformed = cliErrorOf(upstream('identity', 'malformed'));

export interface OAuthResponse {
  readonly status: number;
  readonly body: JsonObject;
}

/** Sends a form to an endpoint of the provider, or reads a document. Follows no redirects, and limits time and size. */
export const sendToProvider = async (
  transport: Transport,
  url: string,
  signal: AbortSignal,
  form?: Readonly<Record<string, string>>,
): Promise<Result<OAuthResponse, CliError>> => {
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, timeout]);
  try {
    const request = {
      url,
      method: form ? 'POST' : 'GET',
      headers: { accept: 'application/json', ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) },
      ...(form && { body: new URLSearchParams(form).toString() }),
    } as const;
    const { status, body: bytes } = await send(transport, request, ended);
    if (isFailure(status)) return err(cliErrorOf(upstream('identity', 'status')));
    if (!bytes) return err(cliErrorOf(upstream('identity', 'too-large')));
    const body = JSON.parse(bytes.toString()) as unknown;
    return isObject(body) ? ok({ status, body }) : err(malformed);
  } catch (error) {
    if (error instanceof SyntaxError) return err(malformed);
    return err(timeout.aborted && !signal.aborted ? timedOut : cliErrorOf(upstream('identity', 'unreachable')));
  }
};

/** A redirect, or a provider that is overloaded or broken. Any other status is the provider's response to the request. */
const isFailure = (status: number): boolean => (status >= 300 && status <= 399) || status === 429 || status >= 500;

/** The endpoints of a provider that supports the device authorization grant. */
export interface DeviceEndpoints {
  readonly device: string;
  readonly token: string;
}

/** Reads the endpoints from the discovery document, which must name the same issuer, and only https ones if that is https. */
export const deviceEndpoints = async (
  transport: Transport,
  issuer: string,
  signal: AbortSignal,
): Promise<Result<DeviceEndpoints, CliError>> => {
  const found = await sendToProvider(transport, discoveryUrl(issuer), signal);
  return found.andThen(({ body }) => {
    const { device_authorization_endpoint: device, token_endpoint: token } = body;
    if (body['issuer'] !== issuer || !isEndpointOf(issuer, token)) return err(malformed);
    return isEndpointOf(issuer, device)
      ? ok({ device, token })
      : err(
          usageError(
            'The identity provider does not support sign-in by device code (RFC 8628).',
            'Use PORTICO_TOKEN, or PORTICO_USERNAME and PORTICO_PASSWORD.',
          ),
        );
  });
};
