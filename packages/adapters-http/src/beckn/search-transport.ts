import {
  type Acknowledgement,
  type Envelope,
  isObject,
  type Leg,
  type LegFailure,
  maxCallbackDepth,
  nestsDeeperThan,
  profileOf,
  type SearchTransport,
  type SentSearches,
  transactionIdOf,
} from '@portico/core';
import { err, fromThrowable, ok, type Result, ResultAsync } from 'neverthrow';
import { parseSignatureHeader, type SigningSettings } from './signature.ts';
import { legSigner, type SignerSettings } from './leg-signer.ts';
import { createClient, type HttpSettings, type TransportError } from '../http/client.ts';
import { codesOf, isReset } from '../http/error-codes.ts';
import { is2xx, type WholeResponse } from '../http/response-readers.ts';
import { fieldOf } from '../json/field-of.ts';
import { systemClock } from '@portico/core/system';

export const searchTransportDefaults = { ackTimeoutMs: 5000, maxResponseBytes: 5_242_880 } as const;

/** Defaults: `searchTransportDefaults`. */
export interface SearchTransportSettings extends Omit<HttpSettings, 'timeoutMs'> {
  /** Timeout for the acknowledgement of a network, in milliseconds. */
  readonly ackTimeoutMs?: number;
  /** Signing keys, or signers that hold one, by leg id. Legs without one are posted unsigned. */
  readonly signing?: Readonly<Record<string, SigningSettings | SignerSettings>>;
  /** Remembers the searches of legs with `verifyCallbacks`, for `becknVerifier`. */
  readonly sent?: SentSearches;
}

/** Posts search envelopes over HTTP. Signs the exact bytes of the body on legs that have a signing key. */
export const httpSearchTransport = ({
  ackTimeoutMs: timeoutMs = searchTransportDefaults.ackTimeoutMs,
  maxResponseBytes = searchTransportDefaults.maxResponseBytes,
  clock = systemClock,
  signing = {},
  sent,
  ...http
}: SearchTransportSettings = {}): SearchTransport => {
  const client = createClient(failureOf, { ...http, timeoutMs, maxResponseBytes, clock });
  const urls = new Map<Leg, string>();
  const urlFor = (leg: Leg): string => {
    const url = urls.get(leg) ?? urlOf(leg);
    urls.set(leg, url);
    return url;
  };
  const signers = new Map(
    Object.entries(signing).map(([leg, settings]) => [leg, legSigner(settings, clock, timeoutMs)]),
  );

  /** Remembers the signature that was sent, before a callback can come. */
  const remember = (leg: Leg, envelope: Envelope, authorization?: string): Promise<void> | undefined => {
    if (!sent || leg.verifyCallbacks !== true) return undefined;
    const signature = authorization === undefined ? undefined : parseSignatureHeader(authorization)?.signature;
    const search = { legId: leg.id, signature: signature && Buffer.from(signature).toString('base64') };
    return sent.remember(transactionIdOf(envelope.context), search);
  };

  return {
    post: (leg, envelope, signal) => {
      const body = JSON.stringify(envelope);
      const send = (authorization: string | undefined) => {
        const headers = {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(authorization !== undefined && { authorization }),
        };
        const postNow = () => client.text({ method: 'POST', url: urlFor(leg), headers, body }, classify, signal);
        const remembered = remember(leg, envelope, authorization);
        const posted = remembered ? ResultAsync.fromSafePromise(remembered).andThen(postNow) : postNow();
        return posted.andThen(readAcknowledgement);
      };
      const sign = signers.get(leg.id);
      return sign ? sign(body, signal).andThen(send) : send(undefined);
    },
  };
};

const unreachable = (detail: string): LegFailure => ({ kind: 'bap_unreachable', detail });

const classify = (status: number): LegFailure | undefined =>
  is2xx(status) ? undefined : unreachable(`the network responded with ${status}`);

/** The URL to post to, without user and password. */
const urlOf = (leg: Leg): string => {
  const written = leg.gatewayUrl.replace(/\/+$/, '') + (leg.gatewayPath ?? profileOf(leg).gatewayPath);
  const url = URL.parse(written);
  return url ? url.origin + url.pathname + url.search : written;
};

/** Reads an acknowledgement (contract, section 5). An empty body is an ACK. Without a NACK, the body may be the catalog. */
const readAcknowledgement = (response: WholeResponse): Result<Acknowledgement, LegFailure> => {
  const { text, bytes, header } = response;
  // Before `value`, which parses: deeply nested JSON of 5 MB would block the event loop for most of a second.
  if (nestsDeeperThan(maxCallbackDepth, text))
    return err(unreachable('the response from the network is nested too deeply'));
  const { value } = response;
  const status = ackStatus(value);
  if (status === 'NACK') return err(unreachable('the network rejected the search (NACK)'));
  // Some networks send `catalog: null` when there is no catalog. Beckn 2.0 has a list.
  const message = fieldOf(value, 'message');
  if (isObject(fieldOf(message, 'catalog')) || Array.isArray(fieldOf(message, 'catalogs')))
    return ok({ outcome: 'catalog', callback: { text, bytes, authorization: header('authorization') } });
  if (text.trim() === '') return ok({ outcome: 'ack' });
  if (value === undefined) return err(unreachable('the response from the network is not JSON'));
  return status === 'ACK' ? ok({ outcome: 'ack' }) : err(unreachable('the network responded without an ACK'));
};

/**
 * Reads `ACK` or `NACK` in the shapes that networks use: `{"message":{"ack":…}}` and `{"ack":…}` with a string or an
 * object with `status`, `{"message":{"status":…}}`, `{"status":…}` (protocol-specifications-v2, v2.0.0, schema `Ack`), and
 * a string that contains one of these as JSON. An object with `responses` comes from a gateway that forwarded the search.
 * It is an ACK, unless it also contains a NACK.
 */
const ackStatus = (value: unknown): unknown => {
  if (typeof value === 'string') {
    const inner = nestsDeeperThan(maxCallbackDepth, value) ? undefined : parse(value);
    return typeof inner === 'string' ? undefined : ackStatus(inner);
  }
  const message = fieldOf(value, 'message');
  const acks = [fieldOf(message, 'ack'), fieldOf(value, 'ack'), fieldOf(message, 'status'), fieldOf(value, 'status')];
  for (const ack of acks) {
    const status = fieldOf(ack, 'status') ?? ack;
    if (status === 'ACK' || status === 'NACK') return status;
  }
  const responses = fieldOf(value, 'responses');
  return isObject(responses) || Array.isArray(responses) ? 'ACK' : undefined;
};

const parse = (text: string): unknown => fromThrowable(JSON.parse)(text).unwrapOr(undefined);

const failureOf = ({ reason, error }: TransportError): LegFailure => {
  if (reason === 'timeout') return unreachable('the network did not acknowledge in time');
  if (reason === 'too-large') return unreachable('the acknowledgement from the network is too large');
  return unreachable(`the network could not be reached: ${causeOf(error)}`);
};

/** Describes an error by its system or TLS code. Error messages are not used, because they contain addresses. */
const causeOf = (error: unknown): string => {
  for (const code of codesOf(error)) {
    if (code === 'ECONNREFUSED') return 'connection refused';
    if (isReset(code)) return 'connection reset';
    if (['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'].includes(code)) return 'name not found';
    if (/^(?:CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) return 'TLS failed';
  }
  return 'connection failed';
};
