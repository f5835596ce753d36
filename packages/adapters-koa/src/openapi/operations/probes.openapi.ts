import { json } from '../responses.ts';
import type { Operation } from '../format.ts';
import { uncachedHeaders } from '../headers.ts';
import { problems } from '../problems.ts';
import { closed, code, list } from '../schemas/schema-builders.ts';

export const probesSchemas = {
  Alive: closed('The process is alive.', { status: code('Always `alive`.', 'alive') }),
  Ready: closed('This instance accepts requests.', { status: code('Always `ready`.', 'ready') }),
  NotReady: closed('This instance should not receive requests.', {
    status: code('Always `not-ready`.', 'not-ready'),
    reasons: list({ type: 'string' }, 'Reasons, as short phrases for operators.'),
  }),
} as const;

export const probesOperations = {
  getLiveness: {
    operationId: 'getLiveness',
    tags: ['operations'],
    summary: 'Check liveness',
    responses: { 200: json('Alive', 'The process is alive.', uncachedHeaders) },
  },
  getReadiness: {
    operationId: 'getReadiness',
    tags: ['operations'],
    summary: 'Check readiness',
    responses: {
      200: json('Ready', 'Ready to receive requests.', uncachedHeaders),
      503: json('NotReady', 'Not ready, with reasons.', uncachedHeaders),
      ...problems('internal'),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;
