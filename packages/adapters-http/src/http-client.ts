import {
  type Cancel,
  type Clock,
  type Failure,
  type Service,
  type Signal,
  upstream,
  type UpstreamReason,
} from '@portico/core';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { BodyWatch } from './body-stream.ts';
import { isJsonText } from './json-syntax.ts';
import { kyTransport } from './ky-transport.ts';
import { systemClock } from './runtime.ts';
import { type CallOutcome, type Guard, noGuard, type Waiting } from './service-guard.ts';
import { type Exchange, type Head, pooledTransport, type Transport } from './transport.ts';

/** What every HTTP adapter can be told. */
export interface HttpSettings {
  /** One deadline for connecting, every attempt and the whole JSON body; between two chunks of a stream. Default 5000. */
  readonly timeoutMs?: number;
  /** The largest JSON answer taken. Default 10 MiB. */
  readonly maxResponseBytes?: number;
  readonly clock?: Clock;
  /** The transport, driven by ky. Default: a connection pool of the service's own. */
  readonly fetch?: typeof fetch;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface JsonResponse {
  readonly status: number;
  readonly text: string;
  readonly value: unknown;
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
export type Judge<E = Failure> = (status: number) => E | undefined;

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
  { timeoutMs = 5000, maxResponseBytes = 10_485_760, clock = systemClock, fetch }: HttpSettings,
  transport = fetch ? kyTransport(fetch) : pooledTransport(),
  guard = noGuard,
) => {
  const failed = (reason: Trouble['reason'], error?: unknown) => err(failureOf({ reason, error }));

  const exchange = <T>(
    request: HttpRequest,
    judge: Judge<E>,
    read: (head: Head, call: Call) => Promise<Result<T, UpstreamReason>>,
    signal?: Signal,
  ): ResultAsync<T, E> => {
    const run = async (): Promise<Result<T, E>> => {
      if (signal?.aborted) return failed('unreachable');
      const call = new Call(clock, timeoutMs, signal);
      const entered = guard.enter(call);
      const permit = typeof entered === 'object' ? await entered : entered;
      if (typeof permit === 'string') {
        call.done();
        return failed(permit);
      }
      let result: Result<T, E>;
      let outcome: CallOutcome = 'ok';
      let isFault = false;
      try {
        const head = await ask(request, call);
        const failure = judge(head.status);
        if (failure) {
          void discard(call);
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
      guard.leave(permit, call, outcome, isFault);
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
    json: (
      request: HttpRequest,
      judge: Judge<E>,
      types: readonly string[] = ['application/json'],
    ): ResultAsync<JsonResponse, E> =>
      exchange(request, judge, async (head, call) => {
        const { status } = head;
        if (status === 204) {
          void discard(call);
          return ok({ status, text: '', value: undefined });
        }
        if (!hasType(head, types)) return err('malformed');
        const bytes = await readWhole(head, call);
        if (!bytes) return err('too-large');
        const text = isJsonText(bytes) ? decode(bytes) : undefined;
        return text === undefined ? err('malformed') : ok(checkedJson(status, text));
      }),

    /** Reads a response of any type to its end. */
    text: (request: HttpRequest, judge: Judge<E>, signal?: Signal): ResultAsync<WholeResponse, E> =>
      exchange<WholeResponse>(
        request,
        judge,
        async (head, call) => {
          const bytes = await readWhole(head, call);
          if (!bytes) return err('too-large');
          const { status, header } = head;
          const text = isJsonText(bytes) ? decode(bytes) : undefined;
          if (text === undefined) return ok({ status, header, bytes, text: String(bytes), value: undefined });
          return ok({ status, header, bytes, text, value: JSON.parse(text) as unknown });
        },
        signal,
      ),

    /** Gives the body as it comes, when it is of the type asked for or (304, 416) there is none to speak of. */
    stream: (request: HttpRequest, judge: Judge<E>, type: string, signal?: Signal): ResultAsync<StreamResponse, E> =>
      exchange<StreamResponse>(
        request,
        judge,
        async (head, call) => {
          const { status, header } = head;
          if (status < 200 || status > 299) {
            void discard(call);
            return ok({ status, header, content: nothing() });
          }
          if (status === 204 || !hasType(head, [type])) return err('malformed');
          // Not before the first bytes are there: until then a failure can still be told as one.
          const content = call.exchange.stream(call);
          await content.begun();
          return ok({ status, header, content });
        },
        signal,
      ),
  };
};

/** One call, of one attempt or two: the time it has, and the ways it can end. */
class Call implements BodyWatch, Waiting {
  hasTimedOut = false;
  isGivenUp = false;
  readonly startedAt: number;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #caller: Signal | undefined;
  #exchange: Exchange | undefined;
  #onGiveUp: (() => void) | undefined;
  #stopTimer: Cancel;

  constructor(clock: Clock, timeoutMs: number, caller: Signal | undefined) {
    this.startedAt = clock.monotonic();
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#caller = caller;
    this.#stopTimer = clock.after(timeoutMs, this.#timeOut);
    caller?.addEventListener('abort', this.#abort);
  }

  get isAbandoned(): boolean {
    return this.#caller?.aborted === true && !this.hasTimedOut;
  }

  onGiveUp(run: () => void): void {
    this.#onGiveUp = run;
  }

  attempt(exchange: Exchange): Promise<Head> {
    this.#exchange = exchange;
    return exchange.head;
  }

  get exchange(): Exchange {
    return this.#exchange!;
  }

  /** The deadline starts anew: from now on it bounds the wait for the next chunk. */
  wait(): void {
    this.#stopTimer();
    this.#stopTimer = this.#clock.after(this.#timeoutMs, this.#timeOut);
  }

  stopWaiting(): void {
    this.#stopTimer();
  }

  broken(): Error {
    return new BrokenStream(this.hasTimedOut ? 'timeout' : 'unreachable');
  }

  done(): void {
    this.#stopTimer();
    this.#caller?.removeEventListener('abort', this.#abort);
  }

  /** Nobody wants the rest: gives the connection back to no one. */
  giveUp(): void {
    this.done();
    this.#abort();
  }

  readonly #timeOut = (): void => {
    this.hasTimedOut = true;
    this.#abort();
  };

  readonly #abort = (): void => {
    this.isGivenUp = true;
    this.#exchange?.abort();
    this.#onGiveUp?.();
  };
}

/** What a reader of a stream gets when the service fails midway: the service's fault, and not a bug of ours. */
class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
  readonly code = 'ERR_DOWNSTREAM_BROKE_OFF';
  readonly reason: UpstreamReason;

  constructor(reason: UpstreamReason) {
    super(reason === 'timeout' ? 'The stream stalled.' : 'The stream broke off.');
    this.reason = reason;
  }
}

/** Reads off what nobody wants while it is little, so that the connection can serve again, and gives it up otherwise. */
const discard = async (call: Call): Promise<void> => {
  const bytes = await call.exchange.bytes(65_536).catch(() => undefined);
  if (bytes) call.done();
  else call.giveUp();
};

const isClientError = (status: number): boolean => status >= 400 && status <= 499;

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The content as it is meant: of one of these media types, and not compressed, which we did not ask for. */
const hasType = ({ header }: Head, types: readonly string[]) => {
  const type = header('content-type') ?? '';
  return (
    (types.includes(type) || types.includes(type.split(';', 1)[0]?.trim().toLowerCase() ?? '')) &&
    (header('content-encoding') ?? 'identity') === 'identity'
  );
};

/** JSON is UTF-8 without a byte order mark (RFC 8259, section 8.1); with one, the parser refuses it. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Nothing when it is not UTF-8. */
const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/** JSON that was checked, but is parsed only where its value is read: what is relayed need not be. */
const checkedJson = (status: number, text: string): JsonResponse => {
  let value: unknown;
  return {
    status,
    text,
    get value() {
      value ??= JSON.parse(text);
      return value;
    },
  };
};

const isRepeatable = (request: HttpRequest, call: Call, error: unknown): boolean =>
  request.method === 'GET' && !call.isGivenUp && brokeBeforeAnswering(error);

/** Whether the connection was refused or reset; a head rejects only while no answer has come. */
const brokeBeforeAnswering = (error: unknown): boolean => {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(String(at.code)))
      return true;
  }
  return false;
};
