import { json } from '../answers.ts';
import type { Part } from '../format.ts';
import { healthSchemas } from '../schemas/health.schemas.ts';
import { notStored } from '../headers.ts';
import { problems } from '../problems.ts';

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
