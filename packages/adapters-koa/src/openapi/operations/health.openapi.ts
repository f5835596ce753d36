import { json } from '../responses.ts';
import type { Operation } from '../format.ts';
import { uncachedHeaders } from '../headers.ts';
import { problems } from '../problems.ts';

export const healthOperations = {
  getHealth: {
    operationId: 'getHealth',
    tags: ['callbacks'],
    summary: 'Get the health of the search API',
    responses: {
      200: json(
        'Health',
        'The health of the search API. The status is 200 even while `status` is `degraded`.',
        uncachedHeaders,
      ),
      ...problems('internal'),
    },
  },
  listLegs: {
    operationId: 'listLegs',
    tags: ['callbacks'],
    summary: 'List search legs',
    responses: { 200: json('Legs', 'The configured legs.', uncachedHeaders), ...problems('internal', 'overloaded') },
  },
} as const satisfies Readonly<Record<string, Operation>>;
