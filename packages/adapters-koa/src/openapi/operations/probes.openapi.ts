import { json } from '../responses.ts';
import { operationsOf } from '../operation-builders.ts';
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

export const probesOperations = operationsOf('operations', {
  getLiveness: {
    summary: 'Check liveness',
    description: 'For a liveness probe, which restarts the process if there is no response.',
    responses: {
      200: json('Alive', 'The process is alive.', uncachedHeaders, { status: 'alive' }),
      ...problems('header-too-large'),
    },
  },
  getReadiness: {
    summary: 'Check readiness',
    description: 'For a readiness probe, which sends no requests to this instance while the status is 503.',
    responses: {
      200: json('Ready', 'Ready to receive requests.', uncachedHeaders, { status: 'ready' }),
      503: json('NotReady', 'Not ready, with reasons.', uncachedHeaders, {
        status: 'not-ready',
        reasons: ['draining'],
      }),
      ...problems('header-too-large', 'internal'),
    },
  },
});
