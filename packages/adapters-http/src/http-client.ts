import { type Clock, type Failure, type Service, type Signal, upstream, type UpstreamReason } from '@portico/core';
import ky from 'ky';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { systemClock } from './runtime.ts';
import { pooledFetch } from './transport.ts';

/** What every HTTP adapter can be told. */
export interface HttpSettings {
  /** One deadline for connecting, every attempt and the whole JSON body; between two chunks of a stream. Default 5000. */
  readonly timeoutMs?: number;
  /** The largest JSON answer taken. Default 10 MiB. */
  readonly maxResponseBytes?: number;
  readonly clock?: Clock;
  /** The transport. Default: a connection pool of the service's own. */
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

/** A response whose headers have come; `content` is its body, read as it is consumed. */
export interface StreamResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly content: AsyncIterableIterator<Uint8Array>;
}

/** Which failure a status is, or none when its body is wanted. */
export type Judge<E = Failure> = (status: number) => E | undefined;

/** What went wrong; `error` is what the transport threw, when it did. */
export interface Trouble {
  readonly reason: UpstreamReason;
  readonly error?: unknown;
}

/** One client per service, whose failures name only the service. */
export const httpClient = (service: Service, settings: HttpSettings) =>
  exchanger(({ reason }): Failure => upstream(service, reason), settings);

/** No hidden retries, no redirects, no limit left open; the caller says what a failure looks like. */
export const exchanger = <E>(
  failureOf: (trouble: Trouble) => E,
  { timeoutMs = 5000, maxResponseBytes = 10_485_760, clock = systemClock, fetch = pooledFetch() }: HttpSettings,
) => {
  const client = ky.create({
    retry: 0,
    redirect: 'manual',
    throwHttpErrors: false,
    timeout: false,
    headers: { 'accept-encoding': 'identity' },
    fetch,
  });
  const failed = (reason: UpstreamReason, error?: unknown) => err(failureOf({ reason, error }));

  const send = async (request: HttpRequest, signal: AbortSignal): Promise<Response> => {
    const { url, method, headers = {}, body } = request;
    const attempt = () => client(url, { method, headers, signal, ...(body !== undefined && { body }) });
    try {
      return await attempt();
    } catch (error) {
      if (method === 'GET' && !signal.aborted && brokeBeforeAnswering(error)) return attempt();
      throw error;
    }
  };

  const exchange = <T>(
    request: HttpRequest,
    judge: Judge<E>,
    read: (response: Response, call: Call) => Promise<Result<T, E>>,
    signal?: Signal,
  ): ResultAsync<T, E> => {
    const run = async (): Promise<Result<T, E>> => {
      const call = startCall(clock, timeoutMs, signal);
      try {
        const response = await send(request, call.signal);
        const failure = judge(response.status);
        if (failure) {
          void discard(response, call);
          return err(failure);
        }
        const result = await read(response, call);
        if (result.isErr()) call.abandon();
        return result;
      } catch (error) {
        call.abandon();
        return failed(call.timedOut ? 'timeout' : 'unreachable', error);
      }
    };
    return new ResultAsync(run());
  };

  return {
    /** Reads a JSON answer to its end. Fails `malformed` or `too-large` when it is not one that may be passed on. */
    json: (
      request: HttpRequest,
      judge: Judge<E>,
      types: readonly string[] = ['application/json'],
    ): ResultAsync<JsonResponse, E> =>
      exchange(request, judge, async (response, call) => {
        const { status } = response;
        if (status === 204) {
          void discard(response, call);
          return ok({ status, text: '', value: undefined });
        }
        if (!hasType(response, types)) return failed('malformed');
        const bytes = await readUpTo(maxResponseBytes, response);
        if (!bytes) return failed('too-large');
        call.done();
        const json = parse(bytes);
        return json ? ok({ status, ...json }) : failed('malformed');
      }),

    /** Reads whatever comes, of any type, to its end: parsed when it is JSON, with a `value` of undefined when not. */
    text: (request: HttpRequest, judge: Judge<E>, signal?: Signal): ResultAsync<JsonResponse, E> =>
      exchange(
        request,
        judge,
        async (response, call) => {
          const bytes = await readUpTo(maxResponseBytes, response);
          if (!bytes) return failed('too-large');
          call.done();
          return ok({ status: response.status, ...(parse(bytes) ?? { text: String(bytes), value: undefined }) });
        },
        signal,
      ),

    /** Gives the body as it comes, when it is of the type asked for or (304, 416) there is none to speak of. */
    stream: (request: HttpRequest, judge: Judge<E>, type: string, signal?: Signal): ResultAsync<StreamResponse, E> =>
      exchange(
        request,
        judge,
        async (response, call) => {
          const { status, headers, body } = response;
          if (!response.ok) {
            void discard(response, call);
            return ok({ status, headers, content: nothing() });
          }
          if (!body || !hasType(response, [type])) return failed('malformed');
          // Not before the first bytes are there: until then a failure can still be told as one.
          const chunks = body[Symbol.asyncIterator]();
          const first = await chunks.next();
          return ok({ status, headers, content: contentOf(first, chunks, call) });
        },
        signal,
      ),
  };
};

/** The time one call has, and the ways it can end. */
const startCall = (clock: Clock, timeoutMs: number, caller?: Signal) => {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let timedOut = false;
  const startTimer = () =>
    clock.after(timeoutMs, () => {
      timedOut = true;
      abort();
    });
  let stopTimer = startTimer();
  caller?.addEventListener('abort', abort);
  if (caller?.aborted) abort();
  const done = () => {
    stopTimer();
    caller?.removeEventListener('abort', abort);
  };
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut;
    },
    /** The deadline starts anew: from now on it bounds the wait for the next chunk. */
    restartTimer: () => {
      stopTimer();
      stopTimer = startTimer();
    },
    stopTimer: () => stopTimer(),
    done,
    /** Nobody wants the rest: gives the connection back to no one. */
    abandon: () => {
      done();
      abort();
    },
  };
};

type Call = ReturnType<typeof startCall>;

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
const discard = async (response: Response, call: Call): Promise<void> => {
  const bytes = await readUpTo(65_536, response).catch(() => undefined);
  if (bytes) call.done();
  else call.abandon();
};

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** A written-out iterator, because a generator that never started would not run its `finally` on `return`. */
const contentOf = (
  first: IteratorResult<Uint8Array>,
  chunks: AsyncIterator<Uint8Array>,
  call: Call,
): AsyncIterableIterator<Uint8Array> => {
  call.stopTimer();
  let ahead: IteratorResult<Uint8Array> | undefined = first;
  const end = { done: true, value: undefined } as const;
  let ended = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: async () => {
      if (ended) return end;
      call.restartTimer();
      try {
        const chunk = ahead ?? (await chunks.next());
        ahead = undefined;
        call.stopTimer();
        if (!chunk.done) return { done: false, value: withBallast(chunk.value) };
        call.done();
        return end;
      } catch {
        call.abandon();
        if (ended) return end;
        throw new BrokenStream(call.timedOut ? 'timeout' : 'unreachable');
      }
    },
    return: async () => {
      ended = true;
      call.abandon();
      return end;
    },
  };
};

/**
 * V8 sees of a chunk a few hundred bytes on its heap and lets up to 64 MB of spent ones pile up outside before it
 * collects. This makes a chunk weigh on the heap four times what it weighs: memory stays flat, for some 20 µs per 64 KiB.
 * With its own weight alone, V8 still let them pile up in some runs on a busy machine.
 */
const withBallast = (chunk: Uint8Array): Uint8Array => {
  void new Array(chunk.byteLength >> 1).fill(0);
  return chunk;
};

/** The content as it is meant: of one of these media types, and not compressed, which we did not ask for. */
const hasType = ({ headers }: Response, types: readonly string[]) =>
  types.includes(headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '') &&
  (headers.get('content-encoding') ?? 'identity') === 'identity';

const readUpTo = async (limit: number, response: Response): Promise<Buffer | undefined> => {
  if (Number(response.headers.get('content-length')) > limit) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
};

/** JSON is UTF-8 without a byte order mark (RFC 8259, section 8.1); with one, the parser refuses it. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const parse = (bytes: Uint8Array) => {
  try {
    const text = decoder.decode(bytes);
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
};

/** Whether the connection was refused or reset; `fetch` rejects only while no answer has come. */
const brokeBeforeAnswering = (error: unknown): boolean => {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(String(at.code)))
      return true;
  }
  return false;
};
