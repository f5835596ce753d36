import { searchLengths } from '@portico/core';
import type { Schema } from '../format.ts';
import { closed, code, list, object, open, schemaOf, string } from './schema-builders.ts';

const trimmed = (description: string, maxLength: number): Schema => ({
  type: 'string',
  minLength: 1,
  description: `${description} 1 to ${maxLength} characters; surrounding white space is removed.`,
  pattern: `^\\s*\\S(?:[\\s\\S]{0,${maxLength - 2}}\\S)?\\s*$`,
});

const milliseconds = (description: string): Schema => ({ type: 'integer', minimum: 0, description });

const callbackOrNull: Schema = { anyOf: [schemaOf('OnSearch'), { type: 'null' }] };

/** A leg that collects has many. */
const resultOrNull: Schema = { anyOf: [schemaOf('OnSearch'), schemaOf('Responses'), { type: 'null' }] };

const seller = {
  bpp_id: { type: ['string', 'null'], description: 'The seller (Beckn `context.bpp_id`).' },
  message_id: { type: ['string', 'null'], description: 'The message (Beckn `context.message_id`).' },
} satisfies Record<string, Schema>;

const sellerError = {
  code: string('The seller’s error code; empty if it sent none.', '30001'),
  message: string('The seller’s message; empty if it sent none.'),
};

export const searchSchemas: Readonly<Record<string, Schema>> = {
  SearchRequest: object(
    'A search. White space around each field is removed.',
    {
      persona: trimmed(
        'The persona of the client: one of `search.personas`, if that setting is present.',
        searchLengths.persona,
      ),
      query: trimmed('The name of the item to search for.', searchLengths.query),
      user_id: trimmed(
        'The client’s own id of the user. It is sent only to networks whose settings contain `{user_id}`.',
        searchLengths.user_id,
      ),
    },
    'persona',
    'query',
    'user_id',
  ),
  SearchResponse: {
    type: 'object',
    description:
      'The results of a search. Each configured leg adds a field named by its id: the seller’s callback, byte for byte, `{"responses": [...]}` with the callbacks of a leg that collects, or null if the leg failed.',
    properties: {
      elapsed_ms: milliseconds('Milliseconds from the request until the last leg settled.'),
      errors: {
        type: 'object',
        description:
          'Errors by leg id. Absent if every leg was delivered and no seller of a leg that collects sent an error.',
        additionalProperties: schemaOf('LegError'),
      },
      traces: {
        type: 'object',
        description: 'Traces by leg id.',
        additionalProperties: schemaOf('Trace'),
      },
    },
    required: ['elapsed_ms', 'traces'],
    additionalProperties: resultOrNull,
  },
  LegEvent: closed(
    'The data of a `leg` event.',
    {
      leg: string('The id of the leg.', 'moa'),
      result: resultOrNull,
      error: schemaOf('LegError'),
      trace: schemaOf('Trace'),
    },
    ['leg', 'result', 'trace'],
  ),
  CallbackEvent: closed(
    'The data of a `callback` event: one callback of a leg that collects.',
    {
      leg: string('The id of the leg.', 'mh'),
      bpp_id: seller.bpp_id,
      result: callbackOrNull,
      error: schemaOf('SellerError'),
    },
    ['leg', 'bpp_id', 'result'],
  ),
  LegError: closed(
    'The reason why a leg has no result (`kind`, `detail`), and the errors of sellers of a leg that collects.',
    {
      kind: code(
        '`bap_unreachable`: the network did not accept the search, or every seller sent an error. `timeout`: no callback arrived in time.',
        'bap_unreachable',
        'timeout',
      ),
      detail: string('A readable explanation.', 'no callback within 10000 ms'),
      sellers: list(closed('The error of one seller.', { ...seller, ...sellerError }), 'In the order of arrival.'),
    },
    [],
  ),
  SellerError: closed('An error that a seller sent instead of a catalog.', sellerError),
  Responses: closed('The callbacks of a leg that collects.', {
    responses: list(schemaOf('OnSearch'), 'The callbacks without an error, byte for byte, in the order of arrival.'),
  }),
  Trace: closed(
    'Correlation and timing of a leg.',
    {
      transaction_id: {
        type: 'string',
        format: 'uuid',
        description: 'The Beckn transaction id of the search on this leg.',
      },
      elapsed_ms: milliseconds('Milliseconds until the leg settled.'),
      label: string('The display name of the leg.'),
      seller_error: schemaOf('SellerError'),
      sellers: list(
        closed('One callback.', { ...seller, elapsed_ms: milliseconds('Milliseconds until it arrived.') }),
        'The callbacks of a leg that collects, in the order of arrival.',
      ),
    },
    ['transaction_id', 'elapsed_ms', 'label'],
  ),
  OnSearch: open('A Beckn `on_search` body, exactly as received from the seller. Recommended: Beckn core 1.1.', {
    context: open('The Beckn context: the seller and the transaction.', {}),
    message: open('The message, which contains the catalog.', {}),
  }),
};
