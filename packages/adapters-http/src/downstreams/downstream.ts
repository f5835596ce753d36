import {
  type Failure,
  type Json,
  type ListQuery,
  type Member,
  notFound,
  preconditionFailed,
  type Signal,
  upstream,
} from '@portico/core';
import type { ResultAsync } from 'neverthrow';
import { type DownstreamName, downstreamPaths, pathTemplate } from './paths.ts';
import { httpClient, type HttpSettings, type StreamResponse } from '../http/client.ts';
import type { HttpRequest } from '../http/transport.ts';
import type { JsonResponse } from '../http/json-response.ts';
import { systemClock } from '@portico/core/system';
import { type GuardSettings, ServiceGuard } from '../resilience/service-guard.ts';
import { traced } from '../http/tracing.ts';

/** Where a downstream service is and how patient we are with it. */
export interface DownstreamSettings<Name extends DownstreamName> extends HttpSettings, GuardSettings {
  /** Its base address, `http:` or `https:`; a path in it is kept. */
  readonly url: string;
  /** Path templates that differ from the defaults; `{partyLocator}` and `{locator}` are put in percent-encoded. */
  readonly paths?: Readonly<Partial<Record<Operation<Name>, string | undefined>>>;
}

type Operation<Name extends DownstreamName> = keyof (typeof downstreamPaths)[Name] & string;

interface DownstreamRequest {
  readonly locator?: string;
  readonly query?: ListQuery;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks one service on behalf of one member at a time, with the member's own token. */
export const downstream = <Name extends DownstreamName>(
  service: Name,
  { url, paths, ...http }: DownstreamSettings<Name>,
) => {
  const client = httpClient(service, http, undefined, new ServiceGuard(service, http.clock ?? systemClock, http));
  const base = baseOf(url);
  const templates = new Map(
    Object.entries<string>(downstreamPaths[service]).map(([operation, usual]) => [
      operation,
      pathTemplate(paths?.[operation as Operation<Name>] ?? usual, usual),
    ]),
  );

  const request = (
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

  const judge = (status: number): Failure | undefined => {
    if (status === 404) return notFound(service);
    return status >= 200 && status <= 299 ? undefined : upstream(service, 'status');
  };

  /** Within a span of its own, which the service is told of. */
  const ask = <T>(
    { headers, ...rest }: HttpRequest,
    call: (request: HttpRequest) => ResultAsync<T, Failure>,
  ): ResultAsync<T, Failure> =>
    traced(service, rest.method, (trace) => call({ ...rest, headers: { ...headers, ...trace } }));

  return {
    get: (operation: Operation<Name>, member: Member, asked: DownstreamRequest = {}): ResultAsync<Json, Failure> =>
      ask(request('GET', operation, member, asked), (asking) => client.json(asking, judge)),

    send: (
      method: 'POST' | 'PUT' | 'PATCH',
      operation: Operation<Name>,
      member: Member,
      { text }: Pick<Json, 'text'>,
      headers: Readonly<Record<string, string>> = {},
      ifMatch?: string,
    ): ResultAsync<JsonResponse, Failure> => {
      const condition = ifMatch === undefined ? {} : { 'if-match': ifMatch };
      const asked = { headers: { 'content-type': 'application/json', ...headers, ...condition } };
      // To a request without a condition, a 412 is a failure of the service.
      const judgeWrite = (status: number) =>
        status === 412 && ifMatch !== undefined ? preconditionFailed(service) : judge(status);
      return ask({ ...request(method, operation, member, asked), body: text }, (asking) =>
        client.json(asking, judgeWrite),
      );
    },

    stream: (
      operation: Operation<Name>,
      member: Member,
      asked: DownstreamRequest,
      type: string,
      wanted: (status: number) => boolean,
      signal?: Signal,
    ): ResultAsync<StreamResponse, Failure> =>
      ask(request('GET', operation, member, asked, type), (asking) =>
        client.stream(
          asking,
          (status) => (wanted(status) ? undefined : (judge(status) ?? upstream(service, 'status'))),
          type,
          signal,
        ),
      ),
  };
};

const queryOf = (query: ListQuery, path: string): string => {
  if (query.length === 0) return '';
  const parameters = query.map(([name, value, written]) => `${name}=${written ?? encodeURIComponent(value)}`).join('&');
  return (path.includes('?') ? '&' : '?') + parameters;
};

const baseOf = (url: string): string => {
  const { href } = new URL(url);
  if (!/^https?:\/\/[^/@?#]+\/[^?#]*$/.test(href))
    throw new TypeError('A downstream address is an http or https URL without user, query and fragment.');
  return href.replace(/\/+$/, '');
};
