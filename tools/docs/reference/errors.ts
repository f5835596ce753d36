import { openApiDocument } from '@portico/adapters-koa';
import { type LegFailure, problemOf, upstream, upstreamReasons } from '@portico/core';
import { code, generated, table } from './tables.ts';

/** What a client should do. A code of the OpenAPI document that is not here is an error. */
const advice: Readonly<Record<string, string>> = {
  'invalid-request': 'fix the request',
  unauthenticated: 'sign in again',
  'not-found': 'do not repeat the request',
  'preferences-not-set': 'offer to set them: this is not a fault',
  'no-such-route': 'fix the path',
  'method-not-allowed': 'fix the method',
  'request-timeout': 'send it again, faster',
  'precondition-failed': 'read it again, apply the change, and send it with the new `ETag`',
  'too-large': 'send less (`limits.maxRequestBytes`)',
  'unsupported-media-type': 'send `application/json`',
  'rate-limited': 'wait as long as `Retry-After` says',
  'header-too-large': 'send less (`connections.maxHeaderBytes`)',
  internal: 'report it with its `requestId`',
  'upstream-failure': 'try again later, if it was a GET',
  overloaded: 'wait as long as `Retry-After` says',
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
      problems().map(({ code: name, status, title, description }) => [
        String(status),
        code(name),
        title,
        description,
        advice[name] ?? missing(name),
      ]),
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

interface DocumentedResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
}

/** Every problem that the server documents. A name with a dot is a variant of one that is listed without it. */
const problems = () => {
  const { responses = {} } = openApiDocument({ version: '0.0.0' }).components as {
    readonly responses?: Readonly<Record<string, DocumentedResponse>>;
  };
  return Object.entries(responses).flatMap(([name, { description, content }]) => {
    const schema = content?.['application/problem+json']?.schema as ProblemSchema | undefined;
    if (!schema || name.includes('.')) return [];
    const { status, title } = schema.properties;
    return [{ code: name, status: status.const, title: String(title.const), description }];
  });
};

const missing = (name: string): never => {
  throw new Error(`tools/docs/reference/errors.ts has no entry for ${name}.`);
};
