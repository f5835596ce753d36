import type { Schema } from '../format.ts';
import { closed, code, object, text } from './schema-words.ts';

export const onSearchSchemas: Readonly<Record<string, Schema>> = {
  Callback: object(
    'A Beckn `on_search` body. Only these fields of its context are read; all of it is kept as it came.',
    {
      context: object(
        'Beckn context.',
        {
          transaction_id: { type: 'string', minLength: 1, maxLength: 256, description: 'The id that we sent.' },
          action: { type: 'string', const: 'on_search' },
        },
        'transaction_id',
        'action',
      ),
    },
    'context',
  ),
  Ack: closed('Taken: expected, repeated, late or unknown.', {
    message: closed('Beckn.', { ack: closed('Beckn.', { status: { type: 'string', const: 'ACK' } }) }),
  }),
  Nack: closed('Not taken.', {
    message: closed('Beckn.', { ack: closed('Beckn.', { status: { type: 'string', const: 'NACK' } }) }),
    error: closed('Why.', {
      code: code(
        'As in problem details.',
        'invalid-request',
        'unauthenticated',
        'too-large',
        'rate-limited',
        'internal',
        'upstream-failure',
        'overloaded',
      ),
      message: text('A sentence for people.'),
    }),
  }),
};
