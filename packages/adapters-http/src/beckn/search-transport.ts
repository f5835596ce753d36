import type { Acknowledgement, Leg, LegFailure, SearchTransport } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { becknSigner, type SigningSettings } from './signature.ts';
import { exchanger, type HttpSettings, type Trouble, type WholeResponse } from '../http/client.ts';
import { systemClock } from '@portico/core/system';

export const searchTransportDefaults = { ackTimeoutMs: 5000, maxResponseBytes: 5_242_880 } as const;

/** Defaults: `searchTransportDefaults`. */
export interface SearchTransportSettings extends Omit<HttpSettings, 'timeoutMs'> {
  /** How long a network may take to acknowledge. */
  readonly ackTimeoutMs?: number;
  /** How we sign on the legs that want it, by leg id. */
  readonly signing?: Readonly<Record<string, SigningSettings>>;
}

/** How long a signature is good for. */
const signatureSeconds = 300;

/** Posts envelopes over HTTP, signed where the leg wants it: the very bytes that are sent. */
export const httpSearchTransport = ({
  ackTimeoutMs: timeoutMs = searchTransportDefaults.ackTimeoutMs,
  maxResponseBytes = searchTransportDefaults.maxResponseBytes,
  clock = systemClock,
  signing = {},
  ...http
}: SearchTransportSettings = {}): SearchTransport => {
  const client = exchanger(failureOf, { ...http, timeoutMs, maxResponseBytes, clock });
  const addresses = new Map<Leg, string>();
  const addressFor = (leg: Leg): string => {
    const address = addresses.get(leg) ?? addressOf(leg);
    addresses.set(leg, address);
    return address;
  };
  const signers = new Map(Object.entries(signing).map(([leg, settings]) => [leg, becknSigner(settings)]));

  return {
    post: (leg, envelope, signal) => {
      const body = JSON.stringify(envelope);
      const signer = signers.get(leg.id);
      const created = Math.floor(clock.now() / 1000);
      const authorization = signer?.sign(Buffer.from(body), created, created + signatureSeconds);
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(authorization !== undefined && { authorization }),
      };
      return client
        .text({ method: 'POST', url: addressFor(leg), headers, body }, judge, signal)
        .andThen(readAcknowledgement);
    },
  };
};

const unreachable = (detail: string): LegFailure => ({ kind: 'bap_unreachable', detail });

const judge = (status: number): LegFailure | undefined =>
  status >= 200 && status <= 299 ? undefined : unreachable(`the network responded with ${status}`);

/** Without the user and password that it may name: those are not for the wire. */
const addressOf = ({ gatewayUrl, gatewayPath }: Leg): string => {
  const address = gatewayUrl.replace(/\/+$/, '') + gatewayPath;
  const url = URL.parse(address);
  return url ? url.origin + url.pathname + url.search : address;
};

/** The shapes of the contract, section 5: an empty answer acknowledges too, and one may bring the catalog already. */
const readAcknowledgement = ({ text, value, bytes, header }: WholeResponse): Result<Acknowledgement, LegFailure> => {
  // Not null, which is how some networks write that there is none.
  if (isObject(at(at(value, 'message'), 'catalog')))
    return ok({ outcome: 'catalog', callback: { text, bytes, authorization: header('authorization') } });
  if (text.trim() === '') return ok({ outcome: 'ack' });
  if (value === undefined) return err(unreachable('the network responded with something other than JSON'));
  const status = ackStatus(value);
  if (status === 'ACK') return ok({ outcome: 'ack' });
  const refused = 'the network refused the search (NACK)';
  return err(unreachable(status === 'NACK' ? refused : 'the network responded without an ACK'));
};

/**
 * `ACK` or `NACK`, in the shapes that networks use: `{"message":{"ack":…}}` and `{"ack":…}` with a string or an object
 * with `status`, `{"message":{"status":…}}`, and a string of JSON that holds one of these. An object with `responses`
 * comes from a gateway that has passed the search on: an ACK, unless it also holds a NACK.
 */
const ackStatus = (value: unknown): unknown => {
  if (typeof value === 'string') {
    const inner = parse(value);
    return typeof inner === 'string' ? undefined : ackStatus(inner);
  }
  const message = at(value, 'message');
  for (const ack of [at(message, 'ack'), at(value, 'ack'), at(message, 'status')]) {
    const status = at(ack, 'status') ?? ack;
    if (status === 'ACK' || status === 'NACK') return status;
  }
  return isObject(at(value, 'responses')) ? 'ACK' : undefined;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const at = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const failureOf = ({ reason, error }: Trouble): LegFailure => {
  if (reason === 'timeout') return unreachable('the network did not acknowledge in time');
  if (reason === 'too-large') return unreachable('the network acknowledged with too large an answer');
  return unreachable(`the network could not be reached: ${causeOf(error)}`);
};

/** The kind of trouble by its system or TLS code; never the error's own words, which hold addresses. */
const causeOf = (error: unknown): string => {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = 'code' in at ? String(at.code) : '';
    if (code === 'ECONNREFUSED') return 'connection refused';
    if (['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code)) return 'connection reset';
    if (['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'].includes(code)) return 'name not found';
    if (/^(?:CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) return 'TLS failed';
  }
  return 'connection failed';
};
