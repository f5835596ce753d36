import type { Operation } from '../format.ts';
import { revalidated } from '../headers.ts';
import { problems } from '../problems.ts';

const parameters = [
  {
    name: 'If-None-Match',
    in: 'header',
    description: 'Not again if it is one of these (RFC 9110, section 13.1.2).',
    schema: { type: 'string' },
  },
] as const;

const unchanged = { description: 'The caller has it already.', headers: revalidated };

export const openApiOperations = {
  getOpenApi: {
    operationId: 'getOpenApi',
    tags: ['operations'],
    summary: 'This document',
    parameters,
    responses: {
      200: {
        description: 'OpenAPI 3.1, of what this instance serves.',
        headers: revalidated,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: { openapi: { type: 'string', pattern: '^3\\.1\\.' }, info: {}, paths: {} },
              required: ['openapi', 'info', 'paths'],
            },
          },
        },
      },
      304: unchanged,
      ...problems('overloaded'),
    },
  },
  getDocs: {
    operationId: 'getDocs',
    tags: ['operations'],
    summary: 'This document as a page for people',
    parameters,
    responses: {
      200: {
        description: 'One HTML page without scripts.',
        headers: revalidated,
        content: { 'text/html': { schema: { type: 'string', contentMediaType: 'text/html' } } },
      },
      304: unchanged,
      ...problems('overloaded'),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
