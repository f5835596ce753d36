import {
  type Credentials,
  type Failure,
  type Json,
  type ListQuery,
  type Member,
  notFound,
  preconditionFailed,
  type Signal,
  upstreamStatus,
} from '@portico/core';
import type { ResultAsync } from 'neverthrow';
import { type DownstreamName, downstreamPaths, pathTemplate } from './paths.ts';
import { authorizedCall, requireMember } from '../credentials/authorized-call.ts';
import { memberToken } from '../credentials/member-token.ts';
import { staticHeaders } from '../credentials/static-headers.ts';
import { httpClient, httpDefaults, type HttpSettings, type StreamResponse } from '../http/client.ts';
import type { HttpRequest } from '../http/transport.ts';
import type { JsonResponse } from '../http/json-response.ts';
import { systemClock } from '@portico/core/system';
import { type GuardSettings, ServiceGuard } from '../resilience/service-guard.ts';
import { traced } from '../http/tracing.ts';

/** URL, paths and limits of a downstream service. */
export interface DownstreamSettings<Name extends DownstreamName> extends HttpSettings, GuardSettings {
  /** Base URL, `http:` or `https:`. A path in it is kept. */
  readonly url: string;
  /** Path templates that replace the defaults. `{partyLocator}` and `{locator}` are inserted percent-encoded. */
  readonly paths?: Readonly<Partial<Record<Operation<Name>, string | undefined>>>;
  /** Default: the member's own token. */
  readonly credentials?: Credentials;
  /** Sent with each request, for example an API key. Neither `authorization` nor a field that Portico sets itself. */
  readonly headers?: Readonly<Record<string, string>>;
}

type Operation<Name extends DownstreamName> = keyof (typeof downstreamPaths)[Name] & string;

interface DownstreamRequest {
  readonly locator?: string;
  readonly query?: ListQuery;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates the client of one service. Each request carries the credentials for the member it is made for. */
export const downstream = <Name extends DownstreamName>(
  service: Name,
  { url, paths, credentials = memberToken, headers: ownHeaders = {}, ...http }: DownstreamSettings<Name>,
) => {
  const { clock = systemClock, timeoutMs = httpDefaults.timeoutMs } = http;
  const client = httpClient(service, http, undefined, new ServiceGuard(service, clock, http));
  const base = baseOf(url);
  const sameHeaders = staticHeaders(ownHeaders);
  const templates = new Map(
    Object.entries<string>(downstreamPaths[service]).map(([operation, defaultPath]) => {
      const template = paths?.[operation as Operation<Name>] ?? defaultPath;
      requireMember(credentials, operation, template);
      return [operation, pathTemplate(template, defaultPath)];
    }),
  );

  const requestFor = (
    method: HttpRequest['method'],
    operation: Operation<Name>,
    member: Member,
    { locator, query = [], headers = {} }: DownstreamRequest,
    accept = 'application/json',
  ): HttpRequest => {
    const path = templates.get(operation)?.(member.locator, locator) ?? '';
    return {
      method,
      url: base + path + queryOf(query, path),
      headers: { ...sameHeaders, ...headers, accept },
    };
  };

  const classify = (status: number): Failure | undefined => {
    if (status === 404) return notFound(service);
    return status >= 200 && status <= 299 ? undefined : upstreamStatus(service, status);
  };

  /** Runs a call with credentials within a client span, and adds the headers of both to its request. */
  const authorized = <T>(
    member: Member,
    { headers, ...rest }: HttpRequest,
    call: (request: HttpRequest) => ResultAsync<T, Failure>,
    signal?: Signal,
  ): ResultAsync<T, Failure> =>
    authorizedCall(credentials, member, { clock, timeoutMs, signal }, (fields, waitedMs) =>
      traced(service, rest.method, (trace) =>
        call({ ...rest, waitedMs, headers: { ...headers, ...trace, ...fields } }),
      ),
    );

  return {
    get: (operation: Operation<Name>, member: Member, options: DownstreamRequest = {}): ResultAsync<Json, Failure> =>
      authorized(member, requestFor('GET', operation, member, options), (request) => client.json(request, classify)),

    send: (
      method: 'POST' | 'PUT' | 'PATCH',
      operation: Operation<Name>,
      member: Member,
      { text }: Pick<Json, 'text'>,
      headers: Readonly<Record<string, string>> = {},
      ifMatch?: string,
    ): ResultAsync<JsonResponse, Failure> => {
      const condition = ifMatch === undefined ? {} : { 'if-match': ifMatch };
      const options = { headers: { 'content-type': 'application/json', ...headers, ...condition } };
      // In response to a request without a condition, a 412 is a failure of the service.
      const classifyWrite = (status: number) =>
        status === 412 && ifMatch !== undefined ? preconditionFailed(service) : classify(status);
      return authorized(member, { ...requestFor(method, operation, member, options), body: text }, (request) =>
        client.json(request, classifyWrite),
      );
    },

    stream: (
      operation: Operation<Name>,
      member: Member,
      options: DownstreamRequest,
      type: string,
      isExpected: (status: number) => boolean,
      signal?: Signal,
    ): ResultAsync<StreamResponse, Failure> =>
      authorized(
        member,
        requestFor('GET', operation, member, options, type),
        (request) =>
          client.stream(
            request,
            (status) => (isExpected(status) ? undefined : (classify(status) ?? upstreamStatus(service, status))),
            type,
            signal,
          ),
        signal,
      ),
  };
};

const queryOf = (query: ListQuery, path: string): string => {
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
