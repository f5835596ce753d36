import type { Schema } from '../format.ts';
import { closed, code, list, text } from './schema-words.ts';

export const healthSchemas: Readonly<Record<string, Schema>> = {
  Health: closed(
    'How the search half is doing.',
    {
      status: code('`degraded` while the next search would be turned away.', 'ok', 'degraded'),
      reasons: list({ type: 'string' }, 'Why it is degraded.'),
      version: text('Of the server.'),
      uptime_s: { type: 'integer', minimum: 0, description: 'Since the process began, in seconds.' },
      pending: { type: 'integer', minimum: 0, description: 'How many legs wait for a callback.' },
      callbacks: closed(
        'How many callbacks came to what.',
        Object.fromEntries(
          ['delivered', 'duplicate', 'late', 'unknown', 'rejected'].map((fate) => [
            fate,
            { type: 'integer', minimum: 0 } satisfies Schema,
          ]),
        ),
      ),
    },
    ['status', 'version', 'uptime_s', 'pending', 'callbacks'],
  ),
  Legs: closed('Which networks are searched.', {
    legs: list({ $ref: '#/components/schemas/Leg' }, 'In the order of the settings.'),
  }),
  Leg: closed('One network, and how we appear on it. Nothing secret, no user or password of any URL.', {
    id: text('The key of its result.', 'moa'),
    label: text('What people call it.'),
    domain: text('Beckn `context.domain`.'),
    version: text('Beckn `context.version`.', '1.1.0'),
    city: text('Beckn `context.city`.', 'std:080'),
    category_code: text('Beckn `intent.category.descriptor.code`.'),
    bap_id: text('Beckn `context.bap_id`.'),
    bap_uri: text('Where the seller calls back.'),
    gateway_url: text('Where the search is sent.'),
    gateway_path: text('Under it.', '/search'),
    ttl: text('ISO 8601 duration.', 'PT10M'),
  }),
};
