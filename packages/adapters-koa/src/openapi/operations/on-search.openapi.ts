import { callback, discoverCallback } from '../examples/search.examples.ts';
import { body, json } from '../responses.ts';
import type { Header, Operation } from '../format.ts';
import { commonHeaders, headerRefs } from '../headers.ts';
import { schemaOf } from '../schemas/schema-builders.ts';

const nack = (description: string, headers: Parameters<typeof json>[2] = {}) =>
  json('Nack', description, { ...commonHeaders, ...headers });

/** Only present when the seller should send the callback again. */
const retryAfter: Header = {
  description: 'Seconds to wait before sending the callback again.',
  schema: { type: 'integer', minimum: 1 },
};

const onSearch: Operation = {
  operationId: 'onSearch',
  tags: ['callbacks'],
  summary: 'Receive a search callback',
  description:
    'Also served with a trailing slash (`/on_search/`). Acknowledges every well-formed callback, including repeated, late and unknown ones; the first callback settles the leg. The media type is ignored. A signature (`signature`) is required if the leg’s settings require one.',
  security: [{}, { signature: [] }],
  requestBody: body('The `on_search` callback.', {
    schema: schemaOf('Callback'),
    example: callback,
  }),
  responses: {
    200: json('Ack', 'The callback was accepted.', commonHeaders, { message: { ack: { status: 'ACK' } } }),
    400: nack('Not a valid `on_search` callback; `error.message` names the fields to fix.'),
    401: nack(
      'The leg requires a signature, and it is missing or not valid. Sign the body with the seller’s registered key.',
      headerRefs('WWW-Authenticate'),
    ),
    413: nack('The callback exceeds the server’s size limit.'),
    415: nack('The callback is compressed (`Content-Encoding`). Send it uncompressed.'),
    429: nack(
      'Too many requests from this client address: retry after `Retry-After` seconds. Or the search has as many callbacks as it may collect (`limit-reached`): do not retry.',
      { ...headerRefs('Cache-Control'), 'Retry-After': retryAfter },
    ),
    500: nack('Internal error. Details are in the server log.'),
    503: nack(
      'The callback cannot be accepted now. Send it again, after `Retry-After` seconds if that header is present.',
      { 'Retry-After': retryAfter },
    ),
  },
};

const onDiscover: Operation = {
  ...onSearch,
  operationId: 'onDiscover',
  summary: 'Receive a discover callback',
  description:
    'The callback of networks of Beckn 2.0, with the same responses as `/on_search`. Also served with a trailing slash (`/on_discover/`).',
  requestBody: body('The `on_discover` callback.', { schema: schemaOf('Callback'), example: discoverCallback }),
};

export const onSearchOperations = { onSearch, onDiscover } as const satisfies Readonly<Record<string, Operation>>;
