import { json } from '../answers.ts';
import type { Operation } from '../format.ts';
import { notStored } from '../headers.ts';
import { problems } from '../problems.ts';

export const healthOperations = {
  getHealth: {
    operationId: 'getHealth',
    tags: ['callbacks'],
    summary: 'How the search half is doing',
    responses: { 200: json('Health', 'Also while it is degraded.', notStored), ...problems('internal') },
  },
  listLegs: {
    operationId: 'listLegs',
    tags: ['callbacks'],
    summary: 'Which networks are searched',
    responses: { 200: json('Legs', 'The legs.', notStored), ...problems('internal', 'overloaded') },
  },
} as const satisfies Readonly<Record<string, Operation>>;
