import { csrfHeader, type ProblemCode, problemTypes, problemUri, services, upstreamReasons } from '@portico/core';
import type { Reference, Response, Schema } from './format.ts';
import { closed, code, list, schemaOf, string } from './schemas/schema-builders.ts';
import { commonHeaders, uncachedHeaders, headerRefs, memberHeaders } from './headers.ts';

const codes = Object.keys(problemTypes) as readonly ProblemCode[];

/** Closed schemas, because they describe exactly this version; clients ignore unknown members (RFC 9457, section 3.2). */
export const problemSchemas = (ownServices: readonly string[]): Readonly<Record<string, Schema>> => ({
  Problem: closed(
    'Problem details (RFC 9457). They contain no private data and nothing from a downstream response.',
    {
      type: code('The problem type, a URN that ends with `code`.', ...codes.map(problemUri)),
      title: code('A summary of the problem type.', ...codes.map((each) => problemTypes[each].title)),
      status: {
        type: 'integer',
        enum: [...new Set(Object.values(problemTypes).map(({ status }) => status))],
        description: 'The HTTP status of the response.',
      },
      detail: string('A readable explanation of this occurrence. The wording may change.'),
      code: code('A stable error code for programs.', ...codes),
      requestId: string('The id of the request, as in the header `X-Request-Id` and in the server log.'),
      service: code('The downstream service that caused the problem.', ...services, ...ownServices),
      reason: code('How the downstream service failed.', ...upstreamReasons),
      errors: list(schemaOf('InputError'), 'The errors in the request, one per field.'),
    },
    ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  ),
  InputError: closed('One error in the request.', {
    path: string(
      'The location of the error: a JSON Pointer (RFC 6901) into the body, or `/` and the name of a parameter.',
    ),
    message: string('The rule that the value violates.'),
  }),
});

const descriptions: Readonly<Record<ProblemCode, string>> = {
  'invalid-request': 'The request is not valid. Fix the fields listed in `errors`.',
  unauthenticated: 'The access token is missing, expired or not valid. Get a new token and retry.',
  'insufficient-scope':
    'The access token lacks a scope that this operation needs. Get a token with the scope in `WWW-Authenticate`.',
  'cross-site': `Only with browser sessions: the request may come from another site. Send \`${csrfHeader}: 1\` from a page of the same origin.`,
  'not-found': 'The downstream service found no such resource for this member. Check the locator.',
  'preferences-not-set': 'The member has never set preferences. Set them with a PUT.',
  'no-such-route': 'No route matches the path. Check the path.',
  'method-not-allowed': 'The route does not support the method. Use one of the methods listed in `Allow`.',
  'request-timeout':
    'The request was not received completely within the time limit, and the connection is closed. Retry on a new connection.',
  'precondition-failed':
    'The resource has changed since it was read (`If-Match`), and nothing was written. Read it again and retry with the new `ETag`.',
  'too-large': 'The request body exceeds the server’s size limit. Send a smaller body.',
  'unsupported-media-type':
    'The media type of the body is not supported, or the body is compressed or not UTF-8. Send uncompressed JSON in UTF-8.',
  'rate-limited': 'Too many requests from this member or client address. Retry after `Retry-After` seconds.',
  'header-too-large':
    'The request header fields exceed the server’s size limit, and the connection is closed. Send smaller header fields.',
  internal: 'Internal error. Details are in the server log, under the id of the request.',
  'upstream-failure':
    'The downstream service in `service` failed for the reason in `reason`. Retry GET requests later.',
  overloaded: 'The server is overloaded or shutting down. Retry after `Retry-After` seconds.',
};

/** Every error code with its status, title and description. */
export const errorCodes = codes.map((code) => ({
  code,
  status: problemTypes[code].status,
  title: problemTypes[code].title,
  description: descriptions[code],
}));

const headersOf: { readonly [Each in ProblemCode]?: Response['headers'] } = {
  unauthenticated: headerRefs('WWW-Authenticate'),
  'insufficient-scope': headerRefs('WWW-Authenticate'),
  'method-not-allowed': headerRefs('Allow'),
  'unsupported-media-type': headerRefs('Accept-Patch'),
  'rate-limited': { ...uncachedHeaders, ...headerRefs('Retry-After') },
  overloaded: headerRefs('Retry-After'),
};

const problem = (code: ProblemCode, common: Response['headers']): Response => ({
  description: descriptions[code],
  headers: { ...common, ...headersOf[code], ...(common === memberHeaders && memberHeaders) },
  content: {
    'application/problem+json': {
      schema: {
        ...schemaOf('Problem'),
        type: 'object',
        properties: {
          type: { const: problemUri(code) },
          title: { const: problemTypes[code].title },
          status: { const: problemTypes[code].status },
          code: { const: code },
          ...(code === 'precondition-failed' && { service: {} }),
          ...(code === 'upstream-failure' && { service: {}, reason: {} }),
        },
        ...(code === 'precondition-failed' && { required: ['service'] }),
        ...(code === 'upstream-failure' && { required: ['service', 'reason'] }),
      },
    },
  },
});

/** One response per code. Those with the prefix `me.` have two more required headers. */
export const problemResponses = (prefix: '' | 'me.'): Readonly<Record<string, Response>> =>
  Object.fromEntries(
    codes.map((code) => [
      `${prefix}${code}`,
      problem(code, prefix === 'me.' ? memberHeaders : { ...commonHeaders, ...headerRefs('Cache-Control') }),
    ]),
  );

const byStatus = (prefix: string, selected: readonly ProblemCode[]): Readonly<Record<number, Reference>> =>
  Object.fromEntries(
    selected.map((code) => [problemTypes[code].status, { $ref: `#/components/responses/${prefix}${code}` }]),
  );

/** References to the responses of these codes, by status. */
export const problems = (...selected: readonly ProblemCode[]) => byStatus('', selected);

/** The problems of `GET /me` itself; those of its parts are in its body. */
export const pageProblems = byStatus('me.', [
  'invalid-request',
  'unauthenticated',
  'insufficient-scope',
  'rate-limited',
  'internal',
  'upstream-failure',
  'overloaded',
]);

/** Problems that every route under `/me` can return. */
export const memberProblems = (
  notFound: 'not-found' | 'preferences-not-set' = 'not-found',
): Readonly<Record<number, Reference>> => ({ ...pageProblems, ...byStatus('me.', [notFound]) });

export const conditionProblems = byStatus('me.', ['precondition-failed']);

export const bodyProblems = byStatus('me.', ['too-large', 'unsupported-media-type']);
