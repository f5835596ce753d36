import { json } from '../openapi/answers.ts';
import type { Part } from '../openapi/format.ts';
import { healthSchemas } from '../openapi/health.schemas.ts';
import { notStored } from '../openapi/headers.ts';
import { problems } from '../openapi/problems.ts';

export const healthApi = {
  schemas: healthSchemas,
  paths: {
    '/health': {
      get: {
        operationId: 'getHealth',
        tags: ['callbacks'],
        summary: 'How the search half is doing',
        responses: { 200: json('Health', 'Also while it is degraded.', notStored), ...problems('internal') },
      },
    },
    '/api/legs': {
      get: {
        operationId: 'listLegs',
        tags: ['callbacks'],
        summary: 'Which networks are searched',
        responses: { 200: json('Legs', 'The legs.', notStored), ...problems('internal', 'overloaded') },
      },
    },
  },
} as const satisfies Part;
