import {
  csrfHeader,
  type Json,
  invalid,
  noContent,
  type RouteMethod,
  sessionMemberHeader,
  type Signal,
  strongEtag,
  unauthenticated,
} from '@portico/core';
import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { CallScope } from './call-scope.ts';
import { type ClientFailure, failureOf, unexpectedResponseFailure } from './failures/failure.ts';
import { decodeJson, mediaTypeOf } from './json.ts';

export interface RequestOptions {
  /** Default: `GET`. */
  readonly method?: RouteMethod;
  /** Relative to the server's URL, percent-encoded. */
  readonly path: string;
  /** Default: `application/json`. */
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Pick<Json, 'text'>;
  /** Media type of the body. Default: `application/json`. */
  readonly mediaType?: string;
  /** Whether the request is sent without the member's token. */
  readonly isPublic?: boolean;
  /** Whether a response with this status is a success. Default: any 2xx. */
  readonly isSuccess?: (status: number) => boolean;
  readonly timeoutMs?: number;
  readonly signal?: Signal | undefined;
}

/** A response whose body has not been read. The reader of the body must call `scope.done()`. */
export interface OpenResponse {
  readonly response: Response;
  readonly scope: CallScope;
}

/** Sends requests to Portico. */
export interface Transport {
  /** The same transport, which uses the token of its first request for all of them. */
  withOneToken(): Transport;
  open(request: RequestOptions): ResultAsync<OpenResponse, ClientFailure>;
  requestJson(request: RequestOptions): ResultAsync<JsonResponse, ClientFailure>;
  /** Reads the body of an open response, which must be JSON. */
  readJson(opened: OpenResponse): ResultAsync<JsonResponse, ClientFailure>;
}

export interface JsonResponse {
  readonly json: Json;
  readonly response: Response;
}

export interface TransportSettings {
  /** Without a trailing slash. */
  readonly base: string;
  readonly token: string | undefined | (() => string | undefined | Promise<string | undefined>);
  /** Whether the browser's session cookie identifies the member, instead of a token. `member`: whose session it must be. */
  readonly session: boolean | { readonly member: string | undefined };
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly timeoutMs: number;
  /** Maximum size of JSON and of problem details. */
  readonly maxResponseBytes: number;
}

export const transport = (settings: TransportSettings): Transport => {
  const { base, token, session, fetch, timeoutMs, maxResponseBytes } = settings;
  const authorization = (scope: CallScope): ResultAsync<Fields, ClientFailure> =>
    scope
      .await(typeof token === 'function' ? token : () => token, (cause) => ({ kind: 'unexpected', cause }))
      .andThen(authorizationFields);

  const open = (request: RequestOptions): ResultAsync<OpenResponse, ClientFailure> => {
    const scope = new CallScope(request.timeoutMs ?? timeoutMs, request.signal);
    const { method = 'GET', path, body, isPublic = false, isSuccess = is2xx } = request;
    const usesCookie = Boolean(session) && !isPublic;
    return (usesCookie || isPublic ? okAsync<Fields, ClientFailure>({}) : authorization(scope))
      .andThen((credentials) =>
        headersOf({
          ...fieldsOf(request),
          ...credentials,
          ...(usesCookie && typeof session === 'object' && { [sessionMemberHeader]: session.member }),
          ...(usesCookie && method !== 'GET' && sameSiteProof),
        }),
      )
      .andThen((headers) =>
        scope.await(
          () =>
            fetch(base + path, {
              ...fetchOptions,
              ...(usesCookie && { credentials: 'same-origin' }),
              method,
              headers,
              signal: scope.signal,
              body: body?.text ?? null,
            }),
          () => ({ kind: 'unreachable' }),
        ),
      )
      .andThen((response) =>
        isSuccess(response.status) ? okAsync({ response, scope }) : problemIn({ response, scope }, maxResponseBytes),
      )
      .orTee(() => scope.done());
  };

  const readJson = ({ response, scope }: OpenResponse) =>
    jsonIn({ response, scope }, maxResponseBytes)
      .map((json) => ({ json, response }))
      .andTee(() => scope.done())
      .orTee(() => scope.done());

  const withOneToken = () => {
    if (typeof token !== 'function') return self;
    let first: Promise<string | undefined> | undefined;
    return transport({ ...settings, token: () => (first ??= Promise.resolve().then(token)) });
  };

  const self: Transport = { open, readJson, requestJson: (request) => open(request).andThen(readJson), withOneToken };
  return self;
};

/** Disables redirects, cookies, caching and the referrer. A request with a session sends the cookies of its own origin. */
const fetchOptions = {
  redirect: 'manual',
  credentials: 'omit',
  cache: 'no-store',
  referrerPolicy: 'no-referrer',
} as const satisfies RequestInit;

/** A page of another site cannot set this header without a CORS preflight (contract, section 11). */
const sameSiteProof = { [csrfHeader]: '1' };

const is2xx = (status: number): boolean => status >= 200 && status <= 299;

type Fields = Readonly<Record<string, string | undefined>>;

const fieldsOf = ({
  accept = 'application/json',
  body,
  mediaType = 'application/json',
  headers,
}: RequestOptions): Fields => ({
  Accept: accept,
  ...(body && { 'Content-Type': mediaType }),
  ...headers,
});

/** The token as a bearer credential (RFC 6750, section 2.1). Fails `unauthenticated` when it has another syntax. */
const authorizationFields = (token: string | undefined): Result<Fields, ClientFailure> => {
  if (!token) return ok({});
  return /^[\w.~+/-]+=*$/.test(token) ? ok({ Authorization: `Bearer ${token}` }) : err(unauthenticated('invalid'));
};

/** `Headers` throws an error that quotes an invalid value, so the error is replaced by a failure without it. */
const headersOf = (fields: Fields): Result<Headers, ClientFailure> => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields)) {
    try {
      if (value !== undefined) headers.set(name, value);
    } catch {
      return err(
        invalid(`The ${name} header is not valid.`, { path: `/${name}`, message: 'must be a valid HTTP header value' }),
      );
    }
  }
  return ok(headers);
};

const problemIn = ({ response, scope }: OpenResponse, limit: number): ResultAsync<never, ClientFailure> =>
  mediaTypeOf(response) === 'application/problem+json'
    ? bytesOf({ response, scope }, limit).andThen((bytes) => err(failureOf(decodeJson(bytes)?.value, response)))
    : unexpectedResponse(response);

const jsonIn = ({ response, scope }: OpenResponse, limit: number): ResultAsync<Json, ClientFailure> => {
  if (response.status === 204) return okAsync(noContent);
  if (mediaTypeOf(response) !== 'application/json') return unexpectedResponse(response);
  return bytesOf({ response, scope }, limit).andThen((bytes) => {
    const json = decodeJson(bytes);
    if (!json) return err(unexpectedResponseFailure(response));
    const etag = strongEtag(response.headers.get('ETag'));
    return ok(etag === undefined ? json : { ...json, etag });
  });
};

const bytesOf = ({ response, scope }: OpenResponse, limit: number): ResultAsync<ArrayBuffer, ClientFailure> =>
  scope.await(() => new Response(limitBody(response, limit)).arrayBuffer(), readFailure(limit));

/** Cancels the body, and fails `unexpected-response`. */
export const unexpectedResponse = (response: Response): ResultAsync<never, ClientFailure> => {
  response.body?.cancel().catch(() => {});
  return errAsync(unexpectedResponseFailure(response));
};

/** Thrown while a body is read that is larger than the limit. */
class ResponseTooLarge extends Error {}

/** The body, after decompression. It fails and is cancelled once it is larger than the limit. */
export const limitBody = (
  { body }: Pick<Response, 'body'>,
  limitBytes: number,
): ReadableStream<Uint8Array<ArrayBuffer>> | null => {
  let received = 0;
  const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      received += chunk.length;
      if (received > limitBytes) throw new ResponseTooLarge();
      controller.enqueue(chunk);
    },
  });
  return body?.pipeThrough(count) ?? null;
};

/** The failure of reading a body with this limit. */
export const readFailure =
  (limitBytes: number) =>
  (cause: unknown): ClientFailure =>
    cause instanceof ResponseTooLarge ? { kind: 'response-too-large', limitBytes } : { kind: 'interrupted' };
