import type { Schema } from '../format.ts';
import { closed, code, list, schemaOf, string } from './schema-builders.ts';

export const healthSchemas: Readonly<Record<string, Schema>> = {
  Health: closed(
    'The health of the search API.',
    {
      status: code(
        '`degraded` while new searches are rejected or callbacks may not reach their search.',
        'ok',
        'degraded',
      ),
      reasons: list({ type: 'string' }, 'Reasons why the status is `degraded`.'),
      version: string('Version of the server.'),
      uptime_s: { type: 'integer', minimum: 0, description: 'Seconds since the process started.' },
      pending: { type: 'integer', minimum: 0, description: 'Number of legs that are waiting for a callback.' },
      callbacks: closed(
        'Number of callbacks by outcome.',
        Object.fromEntries(
          ['delivered', 'duplicate', 'late', 'unknown', 'rejected', 'mismatched'].map((outcome) => [
            outcome,
            { type: 'integer', minimum: 0 } satisfies Schema,
          ]),
        ),
      ),
    },
    ['status', 'version', 'uptime_s', 'pending', 'callbacks'],
  ),
  Legs: closed('The configured search legs.', {
    legs: list(schemaOf('Leg'), 'The legs, in the order of the settings.'),
  }),
  Leg: closed('A network and how Portico is registered on it. Secrets, including credentials in URLs, are removed.', {
    id: string('The id of the leg, which is the key of its result.', 'moa'),
    label: string('The display name of the leg.'),
    domain: string('Domain of the network (Beckn `context.domain`).'),
    version: string('Protocol version (Beckn `context.version`).', '1.1.0'),
    city: string('City code (Beckn `context.city`).', 'std:080'),
    category_code: string('Category of the searched items (Beckn `intent.category.descriptor.code`).'),
    bap_id: string('Portico’s subscriber id on the network (Beckn `context.bap_id`).'),
    bap_uri: string('The URL to which the seller sends its callback.'),
    gateway_url: string('The URL to which the search is sent.'),
    gateway_path: string('The path below `gateway_url`.', '/search'),
    ttl: string('Validity of the search, as an ISO 8601 duration (Beckn `context.ttl`).', 'PT10M'),
  }),
};
