import { body, schemaOf } from '../answers.ts';
import type { Operation } from '../format.ts';
import { bySearch, sent } from '../headers.ts';
import { problems } from '../problems.ts';

export const searchOperations = {
  search: {
    operationId: 'search',
    tags: ['search'],
    summary: 'Search every network at once',
    description:
      'Answers when the last leg is settled: by its callback, by a failure or by the time limit. With `Accept: text/event-stream` each leg is told as it settles. A client that leaves ends its search.',
    requestBody: body('Who looks for what.', {
      schema: schemaOf('SearchRequest'),
      example: { persona: 'member', query: 'dental cover', user_id: 'u-1' },
    }),
    responses: {
      200: {
        description: 'Every leg is settled, also when all of them failed; or they are told one by one.',
        headers: { ...bySearch, ...sent('X-Accel-Buffering') },
        content: {
          'application/json': { schema: schemaOf('SearchAnswer') },
          'text/event-stream': {
            schema: {
              type: 'string',
              description:
                'Server-sent events (HTML Living Standard, section 9.2): an event `leg` with a `LegEvent` as each leg settles, then `done` with the `SearchAnswer`.',
            },
            example:
              'event: leg\ndata: {"leg":"moa","result":null,"error":{"kind":"timeout","detail":"…"},"trace":{…}}\n\nevent: done\ndata: {"elapsed_ms":10000,…}\n\n',
          },
        },
      },
      ...problems('invalid-request', 'too-large', 'unsupported-media-type', 'rate-limited', 'internal', 'overloaded'),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
