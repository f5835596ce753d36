import {
  type Clock,
  type Failure,
  overloaded,
  type Service,
  type Signal,
  upstream,
  type UpstreamReason,
} from '@portico/core';
import { err, type Result, ResultAsync } from 'neverthrow';
import { Call } from './call.ts';
import { isConnectionFailure, isTimeout } from './error-codes.ts';
import type { JsonResponse } from './json-response.ts';
import {
  type ExpectedStream,
  readJson,
  readStream,
  readText,
  type StreamResponse,
  type WholeResponse,
} from './response-readers.ts';
import { systemClock } from '@portico/core/system';
import { type CallOutcome, type Guard, noGuard } from '../resilience/service-guard.ts';
import type { Head, HttpRequest, Transport } from './transport.ts';
import { checkNumbers } from '../resilience/number-settings.ts';
import { transportOf, type TransportSettings } from './transport-of.ts';

export const httpDefaults = { timeoutMs: 5000, maxResponseBytes: 10_485_760 } as const;

/** Settings of every HTTP adapter. Defaults: `httpDefaults`. */
export interface HttpSettings extends TransportSettings {
  /** Deadline in milliseconds for connecting, all attempts and the whole JSON body. For a stream: between chunks. */
  readonly timeoutMs?: number;
  /** Maximum size of a JSON body in bytes. */
  readonly maxResponseBytes?: number;
  readonly clock?: Clock;
}

/** Maps a status to a failure, or to undefined when the body should be read. */
export type StatusClassifier<E = Failure> = (status: number) => E | undefined;

/** Why a call failed. `overloaded`: too many calls are waiting. `error`: what the transport threw, if it did. */
export interface TransportError {
  readonly reason: UpstreamReason | 'overloaded';
  readonly error?: unknown;
}

/** Creates the client of one service. Its failures contain only the service's name and a reason. */
export const httpClient = (service: Service, settings: HttpSettings, transport?: Transport, guard?: Guard) =>
  createClient(
    ({ reason }): Failure => (reason === 'overloaded' ? overloaded() : upstream(service, reason)),
    settings,
    transport,
    guard,
  );

export type HttpClient = ReturnType<typeof httpClient>;

/** Creates an HTTP client without redirects, with at most one retry of a GET. `failureOf` maps errors to failures. */
export const createClient = <E>(
  failureOf: (error: TransportError) => E,
  {
    timeoutMs = httpDefaults.timeoutMs,
    maxResponseBytes = httpDefaults.maxResponseBytes,
    clock = systemClock,
    ...connection
  }: HttpSettings,
  transport = transportOf({ ...connection, timeoutMs }),
  guard = noGuard,
) => {
  checkNumbers({ timeoutMs, maxResponseBytes }, 1);
  const failed = (reason: TransportError['reason'], error?: unknown) => err(failureOf({ reason, error }));

  const exchange = <T>(
    request: HttpRequest,
    classify: StatusClassifier<E>,
    read: (head: Head, call: Call) => Promise<Result<T, UpstreamReason>>,
    signal?: Signal,
  ): ResultAsync<T, E> => {
    const run = async (): Promise<Result<T, E>> => {
      if (signal?.aborted) return failed('unreachable');
      const call = new Call(guard, clock, timeoutMs, signal, request.waitedMs);
      const acquired = guard.acquire(call);
      const permit = typeof acquired === 'object' ? await acquired : acquired;
      if (typeof permit === 'string') {
        call.done();
        return failed(permit);
      }
      call.begin(permit);
      let result: Result<T, E>;
      let outcome: CallOutcome = 'ok';
      let isFault = false;
      try {
        const head = await sendWithRetry(request, call);
        const failure = classify(head.status);
        if (failure) {
          void call.discard();
          outcome = head.status === 404 ? 'not-found' : 'status';
          isFault = !isClientError(head.status);
          result = err(failure);
        } else {
          const body = await read(head, call);
          if (body.isErr()) {
            call.abort();
            outcome = body.error;
            isFault = true;
          }
          result = body.mapErr((reason) => failureOf({ reason }));
        }
      } catch (error) {
        const reason = call.hasTimedOut || isTimeout(error) ? 'timeout' : 'unreachable';
        call.abort();
        outcome = call.isCancelled ? 'cancelled' : reason;
        isFault = true;
        result = failed(reason, error);
      }
      call.settle(outcome, isFault);
      return result;
    };
    return new ResultAsync(run());
  };

  const sendWithRetry = async (request: HttpRequest, call: Call): Promise<Head> => {
    try {
      return await call.attempt(transport(request));
    } catch (error) {
      if (!isRetryable(request, call, error) || !guard.canRetry()) throw error;
      return call.attempt(transport(request));
    }
  };

  return {
    /**
     * Reads a JSON response. Keeps a status of `keptStatuses`; any other 2xx becomes 200. Fails `malformed` if it is
     * not JSON, `too-large` above `maxResponseBytes`.
     */
    json: (request: HttpRequest, classify: StatusClassifier<E>): ResultAsync<JsonResponse, E> =>
      exchange(request, classify, (head, call) => readJson(head, call, maxResponseBytes)),

    /** Reads a whole response of any type. */
    text: (request: HttpRequest, classify: StatusClassifier<E>, signal?: Signal): ResultAsync<WholeResponse, E> =>
      exchange(request, classify, (head, call) => readText(head, call, maxResponseBytes), signal),

    /** Streams a body of the given media type. A status outside 2xx (304, 416) and a 204 that is kept have an empty body. */
    stream: (
      request: HttpRequest,
      classify: StatusClassifier<E>,
      expected: ExpectedStream,
      signal?: Signal,
    ): ResultAsync<StreamResponse, E> =>
      exchange(request, classify, (head, call) => readStream(head, call, expected), signal),
  };
};

const isClientError = (status: number): boolean => status >= 400 && status <= 499;

const isRetryable = (request: HttpRequest, call: Call, error: unknown): boolean =>
  request.method === 'GET' && !call.isAborted && isConnectionFailure(error) && !call.exchange.hasStarted;
