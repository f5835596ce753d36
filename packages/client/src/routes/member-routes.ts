import {
  type DocumentConditions,
  documentOutcome,
  type DocumentResponse,
  isKeptStatus,
  type Json,
  type QueryByName,
  type QueryInput,
  type RouteMethod,
  type ServiceResponse,
  type Signal,
} from '@portico/core';
import { okAsync, type ResultAsync } from 'neverthrow';
import { documentIn, openDocument } from '../documents.ts';
import type { ClientFailure } from '../failures/failure.ts';
import { mediaTypeOf } from '../json.ts';
import { memberPath, withQuery } from '../paths.ts';
import type { JsonResponse, RequestOptions, Transport } from '../transport.ts';

/** The path of a member route: `/me`, or below it. */
export type MemberPath = '/me' | `/me/${string}`;

export interface MemberRequest {
  /** Parameters by name, or as in the query of a URL. */
  readonly query?: QueryByName | QueryInput | undefined;
  readonly signal?: Signal | undefined;
}

export interface MemberWrite extends MemberRequest {
  /** Sent byte for byte. Create it with `toJson` of the core. */
  readonly body?: Json | undefined;
  /** Media type of the body. Default: `application/json`. */
  readonly mediaType?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** The entity tag of an earlier read (RFC 9110, section 13.1.1). */
  readonly ifMatch?: string | undefined;
}

export interface MemberStream extends MemberWrite {
  /** Media type of the response. Any other one fails `unexpected-response`. Default: `application/pdf`. */
  readonly type?: string | undefined;
  readonly conditions?: DocumentConditions | undefined;
}

type Call<Request, Value> = (path: MemberPath, request?: Request) => ResultAsync<Value, ClientFailure>;

/**
 * Calls of any member route, also of a service that this client does not know. Each fails `invalid`, and sends nothing, for a
 * path that is not below `/me`. The failures and limits are those of the other calls.
 */
export interface MemberRoutes {
  readonly get: Call<MemberRequest, ServiceResponse>;
  readonly post: Call<MemberWrite, ServiceResponse>;
  readonly put: Call<MemberWrite, ServiceResponse>;
  readonly patch: Call<MemberWrite, ServiceResponse>;
  readonly delete: Call<MemberWrite, ServiceResponse>;
  /** Streams a document of one media type, as `getDocument` does. */
  readonly stream: Call<MemberStream, DocumentResponse>;
  /** Any method. A JSON response is read, one of another media type is streamed. */
  readonly send: (
    method: RouteMethod,
    path: MemberPath,
    request?: MemberWrite,
  ) => ResultAsync<ServiceResponse | DocumentResponse, ClientFailure>;
}

export const memberRoutes = (transport: Transport): MemberRoutes => {
  const json =
    (method: RouteMethod) =>
    (path: MemberPath, request: MemberWrite = {}) =>
      requestOf(method, path, request).asyncAndThen((options) => requestJsonWithStatus(transport, options));
  return {
    get: json('GET'),
    post: json('POST'),
    put: json('PUT'),
    patch: json('PATCH'),
    delete: json('DELETE'),
    stream: (path, request = {}) => stream(transport, 'GET', path, request),
    send: (method, path, request = {}) =>
      requestOf(method, path, request)
        .asyncAndThen((options) => transport.open({ ...options, accept: '*/*' }))
        .andThen((opened) => {
          const { status } = opened.response;
          return status === 204 || mediaTypeOf(opened.response) === 'application/json'
            ? transport.readJson(opened).map(withStatus)
            : okAsync(documentIn(opened, documentOutcome(status, {}, true) ?? 'whole'));
        }),
  };
};

export const requestJsonWithStatus = (
  transport: Transport,
  options: RequestOptions,
): ResultAsync<ServiceResponse, ClientFailure> => transport.requestJson(options).map(withStatus);

export const stream = (
  transport: Transport,
  method: RouteMethod,
  path: string,
  { type = 'application/pdf', conditions = {}, ...request }: MemberStream,
): ResultAsync<DocumentResponse, ClientFailure> =>
  requestOf(method, path, request).asyncAndThen((options) => openDocument(transport, options, type, conditions, true));

export const requestOf = (
  method: RouteMethod,
  path: string,
  { query = '', body, mediaType, idempotencyKey, ifMatch, signal }: MemberWrite,
) =>
  memberPath(path).map((known): RequestOptions => ({
    method,
    path: withQuery(known, query),
    ...(body && { body }),
    ...(mediaType !== undefined && { mediaType }),
    headers: { 'Idempotency-Key': idempotencyKey, 'If-Match': ifMatch },
    signal,
  }));

const withStatus = ({ json, response: { status } }: JsonResponse): ServiceResponse =>
  isKeptStatus(status) ? { ...json, status } : json;
