import { openApiDocument } from '@portico/adapters-koa';
import { type LegFailure, problemOf, upstream, upstreamReasons } from '@portico/core';
import { code, generated, table } from './tables.ts';

/** When a client receives a code, and what it should do. A code of the OpenAPI document that is not here is an error. */
const meaningOf: Readonly<Record<string, readonly [when: string, then: string]>> = {
  'invalid-request': ['the request is wrong; `errors` says where, by JSON Pointer', 'mend the request'],
  unauthenticated: ['no token, or one that is not good; `WWW-Authenticate` says which', 'sign in again'],
  'not-found': ['the service has no such thing for this member', 'do not repeat it'],
  'preferences-not-set': ['this member has never set preferences', 'offer to set them: this is no fault'],
  'no-such-route': ['the path is nobody’s', 'mend the path'],
  'method-not-allowed': ['the path has no such method; `Allow` names those it has', 'mend the method'],
  'request-timeout': ['the request did not come in time; the connection ends', 'send it again, faster'],
  'precondition-failed': [
    'the resource was changed since it was read; `If-Match` names another version',
    'read it again, apply the change, and send it with the new `ETag`',
  ],
  'too-large': ['the body is larger than `limits.maxRequestBytes`', 'send less'],
  'unsupported-media-type': ['the body is not said to be JSON in UTF-8, or is compressed', 'send `application/json`'],
  'rate-limited': ['this member, or this address, asks too often', 'wait for as long as `Retry-After` says'],
  'header-too-large': ['the header is larger than `connections.maxHeaderBytes`; the connection ends', 'send less'],
  internal: ['a fault of Portico’s own', 'report it with its `requestId`'],
  'upstream-failure': [
    'a service failed; `service` and `reason` say which and how',
    'try again later, if it was a GET',
  ],
  overloaded: ['Portico is full or on its way out', 'wait for as long as `Retry-After` says'],
};

const legFailures = {
  bap_unreachable: 'the envelope was not taken: refused, reset, no 2xx, NACK, or no acknowledgement in time',
  timeout: 'it was taken, and nobody called back within `search.timeoutMs`',
} as const satisfies Record<LegFailure['kind'], string>;

export const errorsPage = (): string =>
  generated(
    'Error codes',
    [
      'A failure is answered with problem details (RFC 9457, `application/problem+json`): `type`, `title`, `status`,',
      '`detail`, `code`, `requestId`, and where they apply `service`, `reason` and `errors`. Programs look at `code`;',
      '`title` and `detail` are for people, and may change. Nothing in it is private: no token, locator, query, body,',
      'address or stack.',
    ].join('\n'),
    '## Codes',
    table(
      ['status', '`code`', '`title`', 'when', 'what a client does'],
      problems().map(({ code: name, status, title }) => {
        const [when, then] = meaningOf[name] ?? missing(name);
        return [String(status), code(name), title, when, then];
      }),
    ),
    'The `type` of each is `urn:portico:problem:` and the code.',
    '## Reasons of `upstream-failure`',
    table(
      ['`reason`', '`detail`, of claims'],
      upstreamReasons.map((reason) => [code(reason), problemOf(upstream('claims', reason)).detail]),
    ),
    [
      'A service’s own 401 or 403 is `status`, and 502 to the member: the token was good enough for Portico, so the fault',
      'lies between the two.',
    ].join('\n'),
    '## Failures of a leg of a search',
    [
      'A search is answered with 200 also when legs failed. Under `errors`, by the id of the leg, stands `kind`, and a',
      '`detail` for people:',
    ].join('\n'),
    table(
      ['`kind`', 'means'],
      Object.entries(legFailures).map(([kind, means]) => [code(kind), means]),
    ),
  );

interface ProblemSchema {
  readonly properties: Readonly<Record<'code' | 'status' | 'title', { readonly const: string | number }>>;
}

/** Every problem that the server documents. A name with a dot is a variant of one that is listed without it. */
const problems = () => {
  const { responses = {} } = openApiDocument({ version: '0.0.0' }).components as {
    readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: unknown }>> }>>;
  };
  return Object.entries(responses).flatMap(([name, { content }]) => {
    const schema = content?.['application/problem+json']?.schema as ProblemSchema | undefined;
    if (!schema || name.includes('.')) return [];
    const { status, title } = schema.properties;
    return [{ code: name, status: status.const, title: String(title.const) }];
  });
};

const missing = (name: string): never => {
  throw new Error(`tools/docs/reference/errors.ts has no entry for ${name}.`);
};
