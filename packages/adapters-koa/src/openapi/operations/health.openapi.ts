import { health, legs } from '../examples/search.examples.ts';
import { json } from '../responses.ts';
import { operationsOf } from '../operation-builders.ts';
import { uncachedHeaders } from '../headers.ts';
import { problems } from '../problems.ts';

export const healthOperations = operationsOf('callbacks', {
  getHealth: {
    summary: 'Get the health of the search API',
    description: 'Reports whether new searches are accepted, the pending legs, and the callbacks by outcome.',
    responses: {
      200: json(
        'Health',
        'The health of the search API. The status is 200 even while `status` is `degraded`.',
        uncachedHeaders,
        health,
      ),
      ...problems('header-too-large', 'internal'),
    },
  },
  listLegs: {
    summary: 'List search legs',
    description: 'Returns the networks that are searched, and how Portico is registered on each of them.',
    responses: {
      200: json('Legs', 'The configured legs.', uncachedHeaders, legs),
      ...problems('header-too-large', 'internal', 'overloaded'),
    },
  },
});
