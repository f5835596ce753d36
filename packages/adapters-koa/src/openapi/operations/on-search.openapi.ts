import { body, json, schemaOf } from '../answers.ts';
import type { Operation } from '../format.ts';
import { always, notStored, sent } from '../headers.ts';

const nack = (description: string, headers: Parameters<typeof json>[2] = {}) =>
  json('Nack', description, { ...always, ...headers });

const receive = (operationId: string, summary: string): Operation => ({
  operationId,
  tags: ['callbacks'],
  summary,
  description:
    'Every well-formed callback is acknowledged, whether anybody waits for it or not; the first one wins. The media type is not looked at. Signed (`signature`) where the leg’s settings ask for it.',
  security: [{}, { signature: [] }],
  requestBody: body('The callback.', {
    schema: schemaOf('Callback'),
    example: {
      context: {
        action: 'on_search',
        transaction_id: 'f3b8f6f0-6a57-4d2e-9f2c-0a8f5a4f9e11',
        bpp_id: 'bpp.example.org',
      },
      message: { catalog: { providers: [] } },
    },
  }),
  responses: {
    200: json('Ack', 'Taken.', always),
    400: nack('This is no callback.'),
    401: nack('The leg wants a signature, and there is none that is good.', sent('WWW-Authenticate')),
    413: nack('The callback is larger than the server takes.'),
    429: nack('The address asks too often.', { ...notStored, ...sent('Retry-After') }),
    500: nack('A bug of ours.'),
    503: nack('It cannot be taken now; send it again. `Retry-After` is there when too many came at once.', {
      'Retry-After': { description: 'In seconds.', schema: { type: 'integer', minimum: 1 } },
    }),
  },
});

export const onSearchOperations = {
  onSearch: receive('onSearch', 'Where sellers call back'),
  onSearchSlash: receive('onSearchSlash', 'The same, for sellers who append a slash'),
} as const satisfies Readonly<Record<string, Operation>>;
