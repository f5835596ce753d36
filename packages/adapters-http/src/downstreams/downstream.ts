import {
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
import { httpClient, type HttpSettings, type StreamResponse } from '../http/client.ts';
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
}

type Operation<Name extends DownstreamName> = keyof (typeof downstreamPaths)[Name] & string;

interface DownstreamRequest {
  readonly locator?: string;
  readonly query?: ListQuery;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates the client of one service. Each request carries the token of the member it is made for. */
export const downstream = <Name extends DownstreamName>(
  service: Name,
  { url, paths, ...http }: DownstreamSettings<Name>,
) => {
  const client = httpClient(service, http, undefined, new ServiceGuard(service, http.clock ?? systemClock, http));
  const base = baseOf(url);
  const templates = new Map(
    Object.entries<string>(downstreamPaths[service]).map(([operation, defaultPath]) => [
      operation,
      pathTemplate(paths?.[operation as Operation<Name>] ?? defaultPath, defaultPath),
    ]),
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
      headers: { ...headers, accept, authorization: `Bearer ${member.token}` },
    };
  };

  const classify = (status: number): Failure | undefined => {
    if (status === 404) return notFound(service);
    return status >= 200 && status <= 299 ? undefined : upstreamStatus(service, status);
  };

  /** Runs a call within a client span, and adds the trace headers to its request. */
  const tracedCall = <T>(
    { headers, ...rest }: HttpRequest,
    call: (request: HttpRequest) => ResultAsync<T, Failure>,
  ): ResultAsync<T, Failure> =>
    traced(service, rest.method, (trace) => call({ ...rest, headers: { ...headers, ...trace } }));

  return {
    get: (operation: Operation<Name>, member: Member, options: DownstreamRequest = {}): ResultAsync<Json, Failure> =>
      tracedCall(requestFor('GET', operation, member, options), (request) => client.json(request, classify)),

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
      return tracedCall({ ...requestFor(method, operation, member, options), body: text }, (request) =>
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
      tracedCall(requestFor('GET', operation, member, options, type), (request) =>
        client.stream(
          request,
          (status) => (isExpected(status) ? undefined : (classify(status) ?? upstreamStatus(service, status))),
          type,
          signal,
        ),
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
