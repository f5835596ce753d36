import {
  type Credentials,
  documentConditionFields,
  type DocumentConditions,
  type DocumentResponse,
  type Failure,
  type Json,
  type Member,
  notFound,
  preconditionFailed,
  type Service,
  type Signal,
  upstreamStatus,
} from '@portico/core';
import type { ResultAsync } from 'neverthrow';
import { isDocument, toDocument } from './document-response.ts';
import { type DownstreamName, downstreamPaths, filledPath, pathTemplateProblem } from './paths.ts';
import { authorizedCall, requireMember } from '../credentials/authorized-call.ts';
import { memberToken } from '../credentials/member-token.ts';
import { staticHeaders } from '../credentials/static-headers.ts';
import { httpClient, httpDefaults, type HttpSettings } from '../http/client.ts';
import type { HttpRequest } from '../http/transport.ts';
import type { JsonResponse } from '../http/json-response.ts';
import { is2xx } from '../http/response-readers.ts';
import { systemClock } from '@portico/core/system';
import { type GuardSettings, ServiceGuard } from '../resilience/service-guard.ts';
import { traced } from '../http/tracing.ts';

/** URL and limits of a service. */
export interface ServiceSettings extends HttpSettings, GuardSettings {
  /** Base URL, `http:` or `https:`. A path in it is kept. */
  readonly url: string;
  /** Default: the member's own token. */
  readonly credentials?: Credentials;
  /** Sent with each request, for example an API key. Neither `authorization` nor a field that Portico sets itself. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The same for one of the six built-in services, whose paths can be replaced. */
export interface DownstreamSettings<Name extends DownstreamName> extends ServiceSettings {
  /** Path templates that replace the defaults. `{partyLocator}` and `{locator}` are inserted percent-encoded. */
  readonly paths?: Readonly<Partial<Record<Operation<Name>, string | undefined>>>;
}

interface StreamRequest extends DownstreamRequest {
  readonly conditions?: DocumentConditions | undefined;
  readonly signal?: Signal | undefined;
  /** Whether 201, 202 and 204 are outcomes, too. Default: false. */
  readonly keepsStatus?: boolean;
}

type Operation<Name extends DownstreamName> = keyof (typeof downstreamPaths)[Name] & string;

interface DownstreamRequest {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: RelayedQuery;
  /** Forwarded as `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined;
  /** Forwarded as `If-Match`. Then, a 412 is the failure `precondition-failed`. */
  readonly ifMatch?: string | undefined;
  readonly body?: Pick<Json, 'text'> | undefined;
  /** The media type of the body. Default: JSON. */
  readonly mediaType?: string | undefined;
}

/** A validated query: names that need no encoding, values, and the encoded values of a URL. */
type RelayedQuery = readonly (readonly [name: string, value: string, encoded?: string])[];

/** A request of one call, before the headers of its span and of its credentials are added. */
interface UnsentRequest extends HttpRequest {
  readonly headers: Record<string, string>;
}

const noParameters = {};

const noQuery: RelayedQuery = [];

/** Creates the client of a built-in service. */
export const downstream = <Name extends DownstreamName>(
  service: Name,
  { paths, ...settings }: DownstreamSettings<Name>,
) => {
  const templates = Object.entries<string>(downstreamPaths[service]).map(([operation, defaultPath]) => {
    const template = paths?.[operation as Operation<Name>] ?? defaultPath;
    const problem = pathTemplateProblem(template, defaultPath);
    if (problem !== undefined) throw new TypeError(`A downstream path ${problem}.`);
    return [operation as Operation<Name>, template] as const;
  });
  return serviceClient(service, settings, templates);
};

/**
 * Creates the client of one service. Each request carries the credentials for the member it is made for.
 *
 * @param templates the valid path template of each operation
 */
export const serviceClient = <Operation extends string>(
  service: Service,
  { url, credentials = memberToken, headers: ownHeaders = {}, ...http }: ServiceSettings,
  templates: readonly (readonly [operation: Operation, template: string])[],
) => {
  const paths = new Map(
    templates.map(([operation, template]) => {
      requireMember(credentials, operation, template);
      return [operation, filledPath(template)];
    }),
  );
  const { clock = systemClock, timeoutMs = httpDefaults.timeoutMs } = http;
  const client = httpClient(service, http, undefined, new ServiceGuard(service, clock, http));
  const base = baseOf(url);
  const sameHeaders = staticHeaders(ownHeaders);

  const requestFor = (
    method: HttpRequest['method'],
    operation: Operation,
    member: Member,
    { parameters = noParameters, query = noQuery, idempotencyKey, ifMatch, body, mediaType }: DownstreamRequest,
    accept = 'application/json',
  ): UnsentRequest => {
    const path = paths.get(operation)!(member.locator, parameters);
    const url = base + path + queryOf(query, path);
    const fields: Record<string, string> = { ...sameHeaders };
    if (body) fields['content-type'] = mediaType ?? 'application/json';
    if (idempotencyKey !== undefined) fields['idempotency-key'] = idempotencyKey;
    if (ifMatch !== undefined) fields['if-match'] = ifMatch;
    fields['accept'] = accept;
    return body ? { method, url, headers: fields, body: body.text } : { method, url, headers: fields };
  };

  const classify = (status: number): Failure | undefined => {
    if (status === 404) return notFound(service);
    return is2xx(status) ? undefined : upstreamStatus(service, status);
  };

  /** In response to a request without a condition, a 412 is a failure of the service. */
  const classifyWrite =
    ({ ifMatch }: DownstreamRequest) =>
    (status: number): Failure | undefined =>
      status === 412 && ifMatch !== undefined ? preconditionFailed(service) : classify(status);

  /** Runs a call with credentials within a client span, and adds the headers of both to its request. */
  const authorized = <T>(
    member: Member,
    request: UnsentRequest,
    call: (request: HttpRequest) => ResultAsync<T, Failure>,
    signal?: Signal,
  ): ResultAsync<T, Failure> =>
    authorizedCall(credentials, member, { clock, timeoutMs, signal }, (fields, waitedMs) =>
      traced(service, request.method, (trace) => {
        Object.assign(request.headers, trace, fields);
        return call({ ...request, waitedMs });
      }),
    );

  return {
    get: (operation: Operation, member: Member, options: DownstreamRequest = {}): ResultAsync<JsonResponse, Failure> =>
      authorized(member, requestFor('GET', operation, member, options), (request) => client.json(request, classify)),

    send: (
      method: HttpRequest['method'],
      operation: Operation,
      member: Member,
      options: DownstreamRequest,
    ): ResultAsync<JsonResponse, Failure> =>
      authorized(member, requestFor(method, operation, member, options), (request) =>
        client.json(request, classifyWrite(options)),
      ),

    /** Streams a response of this media type, with the outcomes of a document. */
    stream: (
      method: HttpRequest['method'],
      operation: Operation,
      member: Member,
      { conditions = {}, signal, keepsStatus = false, ...options }: StreamRequest,
      type: string,
    ): ResultAsync<DocumentResponse, Failure> => {
      const classifyStream = (status: number) =>
        isDocument(status, conditions, keepsStatus)
          ? undefined
          : (classifyWrite(options)(status) ?? upstreamStatus(service, status));
      const request = requestFor(method, operation, member, options, type);
      Object.assign(request.headers, documentConditionFields(conditions));
      return authorized(
        member,
        request,
        (sent) => client.stream(sent, classifyStream, { type, keepsStatus }, signal),
        signal,
      ).map((response) => toDocument(response, conditions, keepsStatus));
    },
  };
};

const queryOf = (query: RelayedQuery, path: string): string => {
  if (query.length === 0) return '';
  const parameters = query.map(([name, value, encoded]) => `${name}=${encoded ?? encodeURIComponent(value)}`).join('&');
  return (path.includes('?') ? '&' : '?') + parameters;
};

const baseOf = (url: string): string => {
  const { href } = new URL(url);
  if (!/^https?:\/\/[^/@?#]+\/[^?#]*$/.test(href))
    throw new TypeError('A downstream URL must be an http or https URL without user info, query or fragment.');
  return href.replace(/\/+$/, '');
};
