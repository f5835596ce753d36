import { idempotencyKeyPattern, ifMatchPattern, locatorPattern } from '@portico/core';
import { requestIdFormat } from '../middleware/request-id.ts';
import type { Parameter, Reference, Schema } from './format.ts';

const listDescriptions = {
  page: 'Page number.',
  pageSize: 'Number of items per page.',
  limit: 'Maximum number of items.',
  cursor: 'Cursor from the previous response.',
  offset: 'Number of items to skip.',
  sort: 'Sort order.',
  status: 'Return only items with this status.',
  type: 'Return only items of this type.',
  from: 'Return only items from this date on.',
  to: 'Return only items up to this date.',
} as const;

export const queryParameter = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
});

const listQuery = Object.fromEntries(
  Object.entries(listDescriptions).map(([name, description]) => [
    `list.${name}`,
    queryParameter(name, `${description} Relayed unchanged; the downstream service defines its meaning.`),
  ]),
);

export const headerParameter = (name: string, description: string, schema: Schema = { type: 'string' }): Parameter => ({
  name,
  in: 'header',
  description,
  schema,
});

export const parameters: Readonly<Record<string, Parameter>> = {
  ...listQuery,
  'If-Match': headerParameter(
    'If-Match',
    'The `ETag` of the version to change. If the resource has changed since, the request fails with 412 and nothing is written (RFC 9110, section 13.1.1).',
    {
      type: 'string',
      pattern: ifMatchPattern,
    },
  ),
  'X-Request-Id': headerParameter(
    'X-Request-Id',
    'The client’s id for this request. A value that does not match the pattern is ignored.',
    { type: 'string', pattern: requestIdFormat.source },
  ),
};

const parameterRef = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` });

export const requestId = parameterRef('X-Request-Id');

export const ifMatch = parameterRef('If-Match');

/** For the descriptions of the operations that accept `If-Match`. */
export const useIfMatch = 'Send `If-Match` to keep the changes of other clients.';

/** The query parameters of every list. Any other parameter is rejected with a 400 that names it. */
export const listParameters: readonly Reference[] = Object.keys(listQuery).map(parameterRef);

export const idempotencyKey = headerParameter(
  'Idempotency-Key',
  'Forwarded to the service, which processes at most one request per key.',
  { type: 'string', pattern: idempotencyKeyPattern },
);

export const ifNoneMatch = headerParameter(
  'If-None-Match',
  'Return 304 if the entity tag of the document matches one of these (RFC 9110, section 13.1.2).',
);

/** A parameter in the path of a service of your own. */
export const pathParameter = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description: 'An id of the service.',
  schema: { type: 'string', pattern: locatorPattern },
});

/** The locator in a path. The pattern excludes slashes and `..`, so that it is always one path segment. */
export const locator = (resource: string, example: string): Parameter => ({
  ...pathParameter('locator'),
  description: `The locator of the ${resource}, as returned by the list.`,
  example,
});
