import { json } from '../answers.ts';
import type { Operation } from '../format.ts';
import { notStored } from '../headers.ts';
import { problems } from '../problems.ts';
import { closed, code, list } from '../schemas/schema-words.ts';

export const probesSchemas = {
  Alive: closed('The process answers.', { status: code('The only one there is.', 'alive') }),
  Ready: closed('Send requests here.', { status: code('The only one there is.', 'ready') }),
  NotReady: closed('Send requests elsewhere.', {
    status: code('The only one there is.', 'not-ready'),
    reasons: list({ type: 'string' }, 'Why not, in our own words.'),
  }),
} as const;

export const probesOperations = {
  getLiveness: {
    operationId: 'getLiveness',
    tags: ['operations'],
    summary: 'Whether the process answers',
    responses: { 200: json('Alive', 'It does.', notStored) },
  },
  getReadiness: {
    operationId: 'getReadiness',
    tags: ['operations'],
    summary: 'Whether requests should be sent here',
    responses: {
      200: json('Ready', 'They should.', notStored),
      503: json('NotReady', 'They should not, and why.', notStored),
      ...problems('internal'),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
