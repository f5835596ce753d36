import {
  type Clock,
  type Failure,
  type Service,
  type Signal,
  strongEtag,
  upstream,
  type UpstreamReason,
} from '@portico/core';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { Call } from './call.ts';
import { type JsonResponse, jsonResponse } from './json-response.ts';
import { kyTransport } from './ky-transport.ts';
import { systemClock } from '@portico/core/system';
import { type CallOutcome, type Guard, noGuard } from '../resilience/service-guard.ts';
import type { Head, HttpRequest, Transport } from './transport.ts';
import { pooledTransport } from './undici-transport.ts';

export const httpDefaults = { timeoutMs: 5000, maxResponseBytes: 10_485_760 } as const;

/** What every HTTP adapter can be told. Defaults: `httpDefaults`. */
export interface HttpSettings {
  /** One deadline for connecting, every attempt and the whole JSON body; between two chunks of a stream. */
  readonly timeoutMs?: number;
  /** The largest JSON body read. */
  readonly maxResponseBytes?: number;
  readonly clock?: Clock;
  /** Sends the requests instead of a connection pool of the service's own, which offers HTTP/1.1 only. */
  readonly fetch?: typeof fetch;
}

/** A response of any type, read to its end; `value` is undefined when it is not JSON. */
export interface WholeResponse extends JsonResponse {
  readonly bytes: Uint8Array;
  readonly header: Head['header'];
}

/** A response whose headers have come; `content` is its body, read as it is consumed. */
export interface StreamResponse {
  readonly status: number;
  readonly header: Head['header'];
  readonly content: AsyncIterable<Uint8Array>;
}

/** Which failure a status is, or none when its body is wanted. */
export type StatusClassifier<E = Failure> = (status: number) => E | undefined;

/** What went wrong; `error` is what the transport threw, when it did. `overloaded`: too many calls wait already. */
export interface Trouble {
  readonly reason: UpstreamReason | 'overloaded';
  readonly error?: unknown;
}

/** One client per service, whose failures name only the service. */
export const httpClient = (service: Service, settings: HttpSettings, transport?: Transport, guard?: Guard) =>
  exchanger(
    ({ reason }): Failure =>
      reason === 'overloaded' ? { kind: 'overloaded', retryAfterSeconds: 1 } : upstream(service, reason),
    settings,
    transport,
    guard,
  );

/** No hidden retries, no redirects, no limit left open; the caller says what a failure looks like. */
export const exchanger = <E>(
  failureOf: (trouble: Trouble) => E,
  {
    timeoutMs = httpDefaults.timeoutMs,
    maxResponseBytes = httpDefaults.maxResponseBytes,
    clock = systemClock,
    fetch,
  }: HttpSettings,
  transport = fetch ? kyTransport(fetch) : pooledTransport(),
  guard = noGuard,
) => {
  const failed = (reason: Trouble['reason'], error?: unknown) => err(failureOf({ reason, error }));

  const exchange = <T>(
    request: HttpRequest,
    judge: StatusClassifier<E>,
    read: (head: Head, call: Call) => Promise<Result<T, UpstreamReason>>,
    signal?: Signal,
  ): ResultAsync<T, E> => {
    const run = async (): Promise<Result<T, E>> => {
      if (signal?.aborted) return failed('unreachable');
      const call = new Call(guard, clock, timeoutMs, signal);
      const entered = guard.enter(call);
      const permit = typeof entered === 'object' ? await entered : entered;
      if (typeof permit === 'string') {
        call.done();
        return failed(permit);
      }
      call.begin(permit);
      let result: Result<T, E>;
      let outcome: CallOutcome = 'ok';
      let isFault = false;
      try {
        const head = await ask(request, call);
        const failure = judge(head.status);
        if (failure) {
          void call.discard();
          outcome = head.status === 404 ? 'not-found' : 'status';
          isFault = !isClientError(head.status);
          result = err(failure);
        } else {
          const answer = await read(head, call);
          if (answer.isErr()) {
            call.giveUp();
            outcome = answer.error;
            isFault = true;
          }
          result = answer.mapErr((reason) => failureOf({ reason }));
        }
      } catch (error) {
        const reason = call.hasTimedOut ? 'timeout' : 'unreachable';
        call.giveUp();
        outcome = call.isAbandoned ? 'abandoned' : reason;
        isFault = true;
        result = failed(reason, error);
      }
      call.settle(outcome, isFault);
      return result;
    };
    return new ResultAsync(run());
  };

  const ask = async (request: HttpRequest, call: Call): Promise<Head> => {
    try {
      return await call.attempt(transport(request));
    } catch (error) {
      if (!isRepeatable(request, call, error) || !guard.mayRepeat()) throw error;
      return call.attempt(transport(request));
    }
  };

  /** Where the length is announced, nobody waits for a body that is too large. */
  const readWhole = async (head: Head, call: Call): Promise<Buffer | undefined> => {
    if (Number(head.header('content-length')) > maxResponseBytes) return undefined;
    const bytes = await call.exchange.bytes(maxResponseBytes);
    if (bytes) call.done();
    return bytes;
  };

  return {
    /** Reads a JSON answer to its end. Fails `malformed` or `too-large` when it is not one that may be passed on. */
    json: (request: HttpRequest, judge: StatusClassifier<E>): ResultAsync<JsonResponse, E> =>
      exchange(request, judge, async (head, call) => {
        const { status } = head;
        if (status === 204) {
          void call.discard();
          return ok({ status, text: '', value: undefined });
        }
        if (!hasType(head, 'application/json')) return err('malformed');
        const bytes = await readWhole(head, call);
        if (!bytes) return err('too-large');
        const response = jsonResponse(status, bytes, strongEtag(head.header('etag')));
        return response ? ok(response) : err('malformed');
      }),

    /** Reads a response of any type to its end. */
    text: (request: HttpRequest, judge: StatusClassifier<E>, signal?: Signal): ResultAsync<WholeResponse, E> =>
      exchange<WholeResponse>(
        request,
        judge,
        async (head, call) => {
          const bytes = await readWhole(head, call);
          if (!bytes) return err('too-large');
          const { status, header } = head;
          const { text, value } = jsonResponse(status, bytes) ?? { text: String(bytes), value: undefined };
          return ok({ status, header, bytes, text, value });
        },
        signal,
      ),

    /** Gives the body as it comes, when it is of the type asked for or (304, 416) there is none to speak of. */
    stream: (
      request: HttpRequest,
      judge: StatusClassifier<E>,
      type: string,
      signal?: Signal,
    ): ResultAsync<StreamResponse, E> =>
      exchange<StreamResponse>(
        request,
        judge,
        async (head, call) => {
          const { status, header } = head;
          if (status < 200 || status > 299) {
            void call.discard();
            return ok({ status, header, content: nothing() });
          }
          if (status === 204 || !hasType(head, type)) return err('malformed');
          // Not before the first bytes are there: until then a failure can still be told as one.
          const content = call.exchange.stream(call);
          await content.begun();
          return ok({ status, header, content });
        },
        signal,
      ),
  };
};

const isClientError = (status: number): boolean => status >= 400 && status <= 499;

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Whether the content is of this media type, and not compressed, which was not requested. */
const hasType = ({ header }: Head, type: string): boolean => {
  const given = header('content-type') ?? '';
  return (
    (given === type || given.split(';', 1)[0]?.trim().toLowerCase() === type) &&
    (header('content-encoding') ?? 'identity') === 'identity'
  );
};

const isRepeatable = (request: HttpRequest, call: Call, error: unknown): boolean =>
  request.method === 'GET' && !call.isGivenUp && isConnectionFailure(error) && !call.exchange.hasBegun;

/** Whether the connection was refused or reset. */
const isConnectionFailure = (error: unknown): boolean => {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(String(at.code)))
      return true;
  }
  return false;
};
