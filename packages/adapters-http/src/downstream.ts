import { type Failure, type Json, type ListQuery, type Member, notFound, type Service, type Signal, upstream } from '@portico/core';
import type { ResultAsync } from 'neverthrow';
import { httpClient, type HttpRequest, type HttpSettings, type JsonResponse, type StreamResponse } from './http-client.ts';

/** Where a downstream service is and how patient we are with it. */
export interface DownstreamSettings<Operation extends string> extends HttpSettings {
  /** Its base address, `http:` or `https:`; a path in it is kept. */
  readonly url: string;
  /** Path templates that differ from the defaults; `{partyLocator}` and `{locator}` are put in percent-encoded. */
  readonly paths?: Readonly<Partial<Record<Operation, string>>>;
}

export interface DownstreamRequest {
  readonly locator?: string;
  readonly query?: ListQuery;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks one service on behalf of one member at a time, with the member's own token. */
export const downstream = <Operation extends string>(
  service: Service,
  { url, paths = {}, ...http }: DownstreamSettings<Operation>,
  defaults: Readonly<Record<Operation, string>>,
) => {
  const client = httpClient(service, http);
  const base = baseOf(url);
  const templates = new Map(
    (Object.entries({ ...defaults, ...paths }) as [Operation, string][]).map(([operation, path]) => [
      operation,
      pathTemplate(path, defaults[operation]),
    ]),
  );

  const request = (
    method: HttpRequest['method'],
    operation: Operation,
    member: Member,
    { locator, query = [], headers = {} }: DownstreamRequest,
    accept = 'application/json',
  ): HttpRequest => {
    const path = templates.get(operation)?.(member.locator, locator) ?? '';
    const search = query.length > 0 ? `${path.includes('?') ? '&' : '?'}${String(new URLSearchParams(listOf(query)))}` : '';
    return { method, url: base + path + search, headers: { accept, authorization: `Bearer ${member.token}`, ...headers } };
  };

  const judge = (status: number): Failure | undefined => {
    if (status === 404) return notFound(service);
    return status >= 200 && status <= 299 ? undefined : upstream(service, 'status');
  };

  return {
    get: (operation: Operation, member: Member, asked: DownstreamRequest = {}): ResultAsync<Json, Failure> =>
      client.json(request('GET', operation, member, asked), judge),

    send: (
      method: 'POST' | 'PUT' | 'PATCH',
      operation: Operation,
      member: Member,
      { text }: Pick<Json, 'text'>,
      headers: Readonly<Record<string, string>> = {},
    ): ResultAsync<JsonResponse, Failure> => {
      const asked = { headers: { 'content-type': 'application/json', ...headers } };
      return client.json({ ...request(method, operation, member, asked), body: text }, judge);
    },

    stream: (
      operation: Operation,
      member: Member,
      asked: DownstreamRequest,
      type: string,
      alsoWanted: (status: number) => boolean,
      signal?: Signal,
    ): ResultAsync<StreamResponse, Failure> =>
      client.stream(
        request('GET', operation, member, asked, type),
        (status) => (alsoWanted(status) ? undefined : judge(status)),
        type,
        signal,
      ),
  };
};

const listOf = (query: ListQuery) => query.map(([name, value]) => [name, value]);

const baseOf = (url: string): string => {
  const { protocol, search, hash } = new URL(url);
  if (!/^https?:$/.test(protocol) || search || hash)
    throw new TypeError('A downstream address is an http or https URL without query and fragment.');
  return url.replace(/\/+$/, '');
};

/** A template checked once and split once: literal, name, literal, name, …, literal. */
const pathTemplate = (template: string, expected: string) => {
  const parts = template.split(/\{(partyLocator|locator)\}/);
  const literals = parts.filter((_, index) => index % 2 === 0).join('');
  if (!template.startsWith('/') || /[{}#\\\s]|\/\/|\.\./.test(literals))
    throw new TypeError('A downstream path begins with "/" and knows only {partyLocator} and {locator}.');
  if (expected.includes('{locator}') !== template.includes('{locator}'))
    throw new TypeError(`A downstream path must ${expected.includes('{locator}') ? '' : 'not '}hold {locator} here.`);
  return (partyLocator: string, locator = ''): string => {
    const values = { partyLocator: encodeURIComponent(partyLocator), locator: encodeURIComponent(locator) };
    return parts.map((part, index) => (index % 2 === 0 ? part : values[part as keyof typeof values])).join('');
  };
};
