import { searchRequest, searchResponse } from '../examples/search.examples.ts';
import { body } from '../responses.ts';
import { operationsOf } from '../operation-builders.ts';
import { searchHeaders, headerRefs } from '../headers.ts';
import { problems } from '../problems.ts';
import { eventStream, schemaOf } from '../schemas/schema-builders.ts';

export const searchOperations = operationsOf('search', {
  search: {
    summary: 'Search all networks',
    description:
      'Searches all legs in parallel and responds when the last leg has settled: by callback, failure or timeout. With `Accept: text/event-stream`, each leg is sent as it settles, and each callback of a leg that collects as it arrives. The search is cancelled when the client disconnects.',
    requestBody: body('The search request.', {
      schema: schemaOf('SearchRequest'),
      example: searchRequest,
    }),
    responses: {
      200: {
        description: 'The results of all legs. The status is 200 even if every leg failed.',
        headers: { ...searchHeaders, ...headerRefs('X-Accel-Buffering') },
        content: {
          'application/json': { schema: schemaOf('SearchResponse'), example: searchResponse },
          'text/event-stream': {
            schema: eventStream(
              'a `callback` event with a `CallbackEvent` for each callback of a leg that collects, a `leg` event with a `LegEvent` as each leg settles, then a `done` event with the `SearchResponse`.',
              ['callback', 'leg', 'done'],
              [schemaOf('CallbackEvent'), schemaOf('LegEvent'), schemaOf('SearchResponse')],
            ),
            example:
              'event: leg\ndata: {"leg":"moa","result":null,"error":{"kind":"timeout","detail":"…"},"trace":{…}}\n\nevent: done\ndata: {"elapsed_ms":10000,…}\n\n',
          },
        },
      },
      ...problems('invalid-request', 'too-large', 'unsupported-media-type', 'rate-limited', 'internal', 'overloaded'),
    },
  },
});
