import { nackCodes } from '../../response/nack.ts';
import type { Schema } from '../format.ts';
import { closed, code, open, string } from './schema-builders.ts';

const transactionId: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  description: 'The transaction id of the search envelope.',
};

const action: Schema = { type: 'string', enum: ['on_search', 'on_discover'], description: 'The Beckn action.' };

export const onSearchSchemas: Readonly<Record<string, Schema>> = {
  Callback: open(
    'A Beckn `on_search` or `on_discover` body. Portico reads only these fields of the context and keeps the whole body unchanged.',
    {
      context: {
        description: 'The Beckn context, with names in snake case or, in Beckn 2.0, in camel case.',
        anyOf: ['transaction_id', 'transactionId'].map((name) =>
          open('A Beckn context.', { [name]: transactionId, action }, name, 'action'),
        ),
      },
    },
    'context',
  ),
  Ack: closed('Positive acknowledgement: the callback was expected, repeated, late or unknown.', {
    message: closed('The Beckn message.', {
      ack: closed('The Beckn acknowledgement.', { status: { type: 'string', const: 'ACK' } }),
    }),
  }),
  Nack: closed('Negative acknowledgement: the callback was not accepted.', {
    message: closed('The Beckn message.', {
      ack: closed('The Beckn acknowledgement.', { status: { type: 'string', const: 'NACK' } }),
    }),
    error: closed('The reason.', {
      code: code('The error code, as in problem details.', ...nackCodes),
      message: string('A readable explanation.'),
    }),
  }),
};
