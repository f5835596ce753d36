import { errorCodes } from '@portico/adapters-koa';
import { csrfHeader, type LegFailure, problemOf, problemUri, upstream, upstreamReasons } from '@portico/core';
import { code, generated, table } from './tables.ts';

/** What a client should do. Every error code needs an entry. */
const advice: Readonly<Record<string, string>> = {
  'invalid-request': 'fix the request',
  unauthenticated: 'sign in again',
  'insufficient-scope': 'get a token with the `scope` in `WWW-Authenticate`',
  'cross-site': `send \`${csrfHeader}: 1\` from a page of the same origin (browser sessions)`,
  'not-found': 'do not retry',
  'preferences-not-set': 'offer to set preferences; this is not a fault',
  'no-such-route': 'fix the path',
  'method-not-allowed': 'fix the method',
  'request-timeout': 'retry; the whole request must arrive within `connections.requestTimeoutMs`',
  'precondition-failed': 'read the resource again, apply the change, and retry with the new `ETag`',
  'too-large': 'send a smaller body (`limits.maxRequestBytes`)',
  'unsupported-media-type': 'send `application/json`',
  'rate-limited': 'retry after `Retry-After` seconds',
  'header-too-large': 'send smaller headers (`connections.maxHeaderBytes`)',
  internal: 'report it with its `requestId`',
  'upstream-failure': 'retry a GET later',
  overloaded: 'retry after `Retry-After` seconds',
};

const legFailures = {
  bap_unreachable:
    'the envelope was not accepted: no connection, a status outside 2xx, NACK, or no acknowledgement in time',
  timeout: 'no callback was received within `search.timeoutMs`',
} as const satisfies Record<LegFailure['kind'], string>;

export const errorsPage = (): string =>
  generated(
    'Error codes',
    [
      'This page lists the error codes of the HTTP API. Errors are problem details (RFC 9457, `application/problem+json`) with',
      '`type`, `title`, `status`, `detail`, `code` and `requestId`, and where they apply `service`, `reason` and `errors`.',
      'Programs should use `code`; `title` and `detail` are for people and may change. Errors contain nothing private: no',
      'token, locator, query, body, URL or stack trace.',
    ].join('\n'),
    '## Codes',
    table(
      ['Status', '`code`', '`title`', 'Cause', 'What to do'],
      errorCodes.map(({ code: name, status, title, description }) => [
        String(status),
        code(name),
        title,
        description,
        advice[name] ?? missing(name),
      ]),
    ),
    `The \`type\` is ${code(problemUri(''))} followed by the code.`,
    '## Reasons of `upstream-failure`',
    table(
      ['`reason`', '`detail`, for claims'],
      upstreamReasons.map((reason) => [code(reason), problemOf(upstream('claims', reason)).detail]),
    ),
    [
      'A 401 or 403 of a service has the reason `status` and results in 502: Portico accepted the token and the service did',
      'not, so their configurations differ.',
    ].join('\n'),
    '## Failures of a leg',
    [
      'A search responds with 200 even if legs (the networks that are searched) failed. `errors` has an entry per failed leg,',
      'with `kind` and a `detail` for people:',
    ].join('\n'),
    table(
      ['`kind`', 'Meaning'],
      Object.entries(legFailures).map(([kind, means]) => [code(kind), means]),
    ),
  );

const missing = (name: string): never => {
  throw new Error(`tools/docs/reference/errors.ts has no entry for ${name}.`);
};
