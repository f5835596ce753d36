import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

/** Mistakes of a service that is otherwise available: its responses are well-formed, and wrong. */
const incorrectKinds = [
  /** Returns the data of the first member who reads to every member. */
  'first-member',
  /** Ignores the query of a list. */
  'ignore-query',
  /** Ignores `Range`, `If-None-Match`, `If-Modified-Since` and `If-Match`. */
  'ignore-conditions',
  /** Ignores `Idempotency-Key`. */
  'ignore-idempotency-key',
  /** Responds to a write as if it was stored. */
  'lost-writes',
  /** 500 instead of 404. */
  'error-for-missing',
] as const;

type IncorrectKind = (typeof incorrectKinds)[number];

export type IncorrectFaults = { readonly [Kind in IncorrectKind]: { readonly kind: Kind } };

/** The faults by their kind. */
export const incorrectFaults = Object.fromEntries(incorrectKinds.map((kind) => [kind, { kind }])) as IncorrectFaults;

/** The same service with each of the mistakes. */
export const incorrectService = (listener: RequestListener): Readonly<Record<IncorrectKind, RequestListener>> => {
  /** The first member who read. The locator is known once this member has requested a path that contains it. */
  let first: { readonly authorization: string | undefined; locator: string | undefined } | undefined;
  const without =
    (...names: readonly string[]): RequestListener =>
    (request, response) => {
      for (const name of names) delete request.headers[name];
      listener(request, response);
    };
  return {
    'first-member': (request, response) => {
      if (request.method === 'GET') {
        const { authorization } = request.headers;
        first ??= { authorization, locator: undefined };
        if (authorization === first.authorization) first.locator ??= memberPath.exec(request.url ?? '')?.[2];
        request.headers.authorization = first.authorization;
        if (first.locator !== undefined) request.url = request.url?.replace(memberPath, `$1${first.locator}`);
      }
      listener(request, response);
    },
    'ignore-query': (request, response) => {
      request.url = request.url?.replace(/\?.*/, '');
      listener(request, response);
    },
    'ignore-conditions': without('range', 'if-none-match', 'if-modified-since', 'if-match'),
    'ignore-idempotency-key': without('idempotency-key'),
    'lost-writes': (request, response) => {
      if (request.method === 'GET') listener(request, response);
      else loseWrite(request, response).catch(() => response.destroy());
    },
    'error-for-missing': (request, response) => {
      const writeHead = response.writeHead.bind(response) as (
        status: number,
        ...rest: readonly unknown[]
      ) => ServerResponse;
      response.writeHead = (status: number, ...rest: readonly unknown[]) =>
        writeHead(status === 404 ? 500 : status, ...rest);
      listener(request, response);
    },
  };
};

/** A path that names its member. */
const memberPath = /^(\/(?:members|parties|preferences|consent)\/)([^/?]+)/;

const loseWrite = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const text = await textOf(request);
  const claim = { locator: 'CLM-LOST', ...(JSON.parse(text) as object) };
  response
    .writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
    .end(request.method === 'POST' ? JSON.stringify(claim) : text);
};
