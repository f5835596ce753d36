import { upstream } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { cliErrorOf } from '../../output/failure-message.ts';
import { type CliError, usageError } from '../../output/cli-error.ts';
import { isObject, type Resource } from '../../output/field.ts';

const timeoutMs = 10_000;
const maxBytes = 1_048_576;

export interface OAuthResponse {
  readonly status: number;
  readonly body: Resource;
}

/** Sends a form to an endpoint of the provider, or reads a document. Follows no redirects, and limits time and size. */
export const sendToProvider = async (
  url: string,
  signal: AbortSignal,
  form?: Readonly<Record<string, string>>,
): Promise<Result<OAuthResponse, CliError>> => {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      headers: { accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += (chunk as Uint8Array).byteLength;
      if (size > maxBytes) return err(cliErrorOf(upstream('identity', 'too-large')));
      chunks.push(chunk as Uint8Array);
    }
    const body = JSON.parse(Buffer.concat(chunks).toString()) as unknown;
    return isObject(body) ? ok({ status: response.status, body }) : err(cliErrorOf(upstream('identity', 'malformed')));
  } catch (error) {
    return err(cliErrorOf(upstream('identity', error instanceof SyntaxError ? 'malformed' : 'unreachable')));
  }
};

/** The endpoints of a provider that supports the device authorization grant. */
export interface DeviceEndpoints {
  readonly device: string;
  readonly token: string;
}

/** Reads the endpoints from the discovery document, which must name the same issuer, and only https ones if that is https. */
export const deviceEndpoints = async (
  issuer: string,
  signal: AbortSignal,
): Promise<Result<DeviceEndpoints, CliError>> => {
  const found = await sendToProvider(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal);
  return found.andThen(({ body }) => {
    const { device_authorization_endpoint: device, token_endpoint: token } = body;
    const isUrl = (value: unknown): value is string => typeof value === 'string' && schemeFor(issuer).test(value);
    if (body['issuer'] !== issuer || !isUrl(token)) return err(cliErrorOf(upstream('identity', 'malformed')));
    return isUrl(device)
      ? ok({ device, token })
      : err(
          usageError(
            'The identity provider does not support sign-in by device code (RFC 8628).',
            'Use PORTICO_TOKEN, or PORTICO_USERNAME and PORTICO_PASSWORD.',
          ),
        );
  });
};

/** Plain http would expose the refresh token and the client secret. */
const schemeFor = (issuer: string): RegExp => (/^https:/i.test(issuer) ? /^https:\/\//i : /^https?:\/\//i);
