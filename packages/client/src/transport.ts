import { type Json, invalid, noContent, type Signal, strongEtag, unauthenticated } from '@portico/core';
import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { type ClientFailure, failureOf, notPortico } from './failure.ts';
import { mediaTypeOf, readJson } from './json.ts';
import { Lifetime } from './lifetime.ts';

/** One request. */
export interface Question {
  /** `GET` when not given. */
  readonly method?: 'POST' | 'PUT' | 'PATCH';
  /** Below the server's URL, percent-encoded. */
  readonly path: string;
  /** `application/json` when not given. */
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Pick<Json, 'text'>;
  /** Of the body; `application/json` when not given. */
  readonly mediaType?: string;
  /** Nobody's in particular: the token stays here. */
  readonly isPublic?: boolean;
  /** The statuses that are answers; 200 to 299 when not given. */
  readonly answers?: (status: number) => boolean;
  readonly timeoutMs?: number;
  readonly signal?: Signal | undefined;
}

/** An answer whose body is still to come. Whoever reads it ends the lifetime. */
export interface OpenAnswer {
  readonly response: Response;
  readonly lifetime: Lifetime;
}

/** The one way to the server. */
export interface Transport {
  open(question: Question): ResultAsync<OpenAnswer, ClientFailure>;
  ask(question: Question): ResultAsync<{ readonly json: Json; readonly response: Response }, ClientFailure>;
}

export interface TransportSettings {
  /** Without a slash at its end. */
  readonly base: string;
  readonly token: string | undefined | (() => string | undefined | Promise<string | undefined>);
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly timeoutMs: number;
}

export const transport = ({ base, token, fetch, timeoutMs }: TransportSettings): Transport => {
  const authorization = (lifetime: Lifetime): ResultAsync<Fields, ClientFailure> =>
    lifetime
      .await(typeof token === 'function' ? token : () => token, (cause) => ({ kind: 'unexpected', cause }))
      .andThen(bearing);

  const open = (question: Question): ResultAsync<OpenAnswer, ClientFailure> => {
    const lifetime = new Lifetime(question.timeoutMs ?? timeoutMs, question.signal);
    const { method = 'GET', path, body, answers = isSuccess } = question;
    return (question.isPublic ? okAsync<Fields, ClientFailure>({}) : authorization(lifetime))
      .andThen((credentials) => headersOf({ ...fieldsOf(question), ...credentials }))
      .andThen((headers) =>
        lifetime.await(
          () => fetch(base + path, { ...manner, method, headers, signal: lifetime.signal, body: body?.text ?? null }),
          () => ({ kind: 'unreachable' }),
        ),
      )
      .andThen((response) =>
        answers(response.status) ? okAsync({ response, lifetime }) : refusalIn({ response, lifetime }),
      )
      .orTee(() => lifetime.done());
  };

  return {
    open,
    ask: (question) =>
      open(question).andThen(({ response, lifetime }) =>
        jsonIn({ response, lifetime })
          .map((json) => ({ json, response }))
          .andTee(() => lifetime.done())
          .orTee(() => lifetime.done()),
      ),
  };
};

/** Nothing is followed, kept, or sent along that we did not put there. */
const manner = {
  redirect: 'manual',
  credentials: 'omit',
  cache: 'no-store',
  referrerPolicy: 'no-referrer',
} as const satisfies RequestInit;

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

type Fields = Readonly<Record<string, string | undefined>>;

const fieldsOf = ({
  accept = 'application/json',
  body,
  mediaType = 'application/json',
  headers,
}: Question): Fields => ({
  Accept: accept,
  ...(body && { 'Content-Type': mediaType }),
  ...headers,
});

/** The token in the Authorization header (RFC 6750, section 2.1). What cannot stand there is no token. */
const bearing = (token: string | undefined): Result<Fields, ClientFailure> => {
  if (!token) return ok({});
  return /^[\w.~+/-]+=*$/.test(token) ? ok({ Authorization: `Bearer ${token}` }) : err(unauthenticated('invalid'));
};

/** `Headers` throws at what no header can hold, and quotes it. */
const headersOf = (fields: Fields): Result<Headers, ClientFailure> => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields)) {
    try {
      if (value !== undefined) headers.set(name, value);
    } catch {
      return err(
        invalid(`The ${name} is not valid.`, { path: `/${name}`, message: 'must be what an HTTP header can hold' }),
      );
    }
  }
  return ok(headers);
};

/** The failure that problem details tell of, whatever else comes of a body that is none. */
const refusalIn = ({ response, lifetime }: OpenAnswer): ResultAsync<never, ClientFailure> =>
  mediaTypeOf(response) === 'application/problem+json'
    ? bytesOf({ response, lifetime }).andThen((bytes) => err(failureOf(readJson(bytes)?.value, response)))
    : strange(response);

const jsonIn = ({ response, lifetime }: OpenAnswer): ResultAsync<Json, ClientFailure> => {
  if (response.status === 204) return okAsync(noContent);
  if (mediaTypeOf(response) !== 'application/json') return strange(response);
  return bytesOf({ response, lifetime }).andThen((bytes) => {
    const json = readJson(bytes);
    if (!json) return err(notPortico(response));
    const etag = strongEtag(response.headers.get('ETag'));
    return ok(etag === undefined ? json : { ...json, etag });
  });
};

const bytesOf = ({ response, lifetime }: OpenAnswer): ResultAsync<ArrayBuffer, ClientFailure> =>
  lifetime.await(
    () => response.arrayBuffer(),
    () => ({ kind: 'interrupted' }),
  );

/** Nobody's answer to us: what is left of it is not waited for. */
export const strange = (response: Response): ResultAsync<never, ClientFailure> => {
  response.body?.cancel().catch(() => {});
  return errAsync(notPortico(response));
};
