import type { Schema } from '../format.ts';
import { closed, code, object, text } from './schema-words.ts';

const words = (description: string, maxLength: number): Schema => ({
  type: 'string',
  minLength: 1,
  description: `${description} 1 to ${maxLength} characters without the blanks around it.`,
  pattern: `^\\s*\\S(?:[\\s\\S]{0,${maxLength - 2}}\\S)?\\s*$`,
});

const milliseconds = (description: string): Schema => ({ type: 'integer', minimum: 0, description });

const callbackOrNull: Schema = { anyOf: [{ $ref: '#/components/schemas/OnSearch' }, { type: 'null' }] };

export const searchSchemas: Readonly<Record<string, Schema>> = {
  SearchRequest: object(
    'What is looked for. Blanks around each field are taken off.',
    {
      persona: words('As whom. One of `search.personas`, where the server’s settings name any.', 64),
      query: words('What for.', 256),
      user_id: words('Who asks, as the caller knows them; it goes nowhere.', 128),
    },
    'persona',
    'query',
    'user_id',
  ),
  SearchAnswer: {
    type: 'object',
    description:
      'Beside these fields one for each configured leg, by its id: the seller’s callback byte for byte, or null where there is an error.',
    properties: {
      elapsed_ms: milliseconds('From the request to the last leg.'),
      errors: {
        type: 'object',
        description: 'By leg; not there when every leg delivered.',
        additionalProperties: { $ref: '#/components/schemas/LegError' },
      },
      traces: { type: 'object', description: 'By leg.', additionalProperties: { $ref: '#/components/schemas/Trace' } },
    },
    required: ['elapsed_ms', 'traces'],
    additionalProperties: callbackOrNull,
  },
  LegEvent: closed(
    'The data of an event `leg`.',
    {
      leg: text('Its id.', 'moa'),
      result: callbackOrNull,
      error: { $ref: '#/components/schemas/LegError' },
      trace: { $ref: '#/components/schemas/Trace' },
    },
    ['leg', 'result', 'trace'],
  ),
  LegError: closed('Why a leg has no result.', {
    kind: code('What happened.', 'bap_unreachable', 'timeout'),
    detail: text('In our own words.', 'no callback within 10000 ms'),
  }),
  Trace: closed('What became of a leg.', {
    transaction_id: { type: 'string', format: 'uuid', description: 'Under which the network knows the search.' },
    elapsed_ms: milliseconds('Until the leg was settled.'),
    label: text('What people call the leg.'),
  }),
  OnSearch: object('A Beckn `on_search` body, as the seller sent it. Recommended: Beckn core 1.1.', {
    context: object('Whose answer it is, to what.', {}),
    message: object('The catalog.', {}),
  }),
};
