import { operationsOf } from '../operation-builders.ts';
import { revalidatedHeaders } from '../headers.ts';
import { ifNoneMatch } from '../parameters.ts';
import { problems } from '../problems.ts';

const unchanged = { description: 'Not modified: the client’s copy is current.', headers: revalidatedHeaders };

export const openApiOperations = operationsOf('operations', {
  getOpenApi: {
    summary: 'Get the OpenAPI document',
    description: 'Returns this document. It stays the same as long as the process runs.',
    parameters: [ifNoneMatch],
    responses: {
      200: {
        description: 'An OpenAPI 3.1 document of the operations that this instance serves.',
        headers: revalidatedHeaders,
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
      ...problems('header-too-large', 'overloaded'),
    },
  },
  getDocs: {
    summary: 'Get the API reference as HTML',
    description: 'Returns this document as a page for people.',
    parameters: [ifNoneMatch],
    responses: {
      200: {
        description: 'The API reference as one HTML page without scripts.',
        headers: revalidatedHeaders,
        content: { 'text/html': { schema: { type: 'string', contentMediaType: 'text/html' } } },
      },
      304: unchanged,
      ...problems('header-too-large', 'overloaded'),
    },
  },
});
