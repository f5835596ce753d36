import { searchTransportDefaults } from '@portico/adapters-http';
import {
  collectDefaults,
  defaultCountry,
  maxSearchMs,
  networkProfiles,
  type ProfileName,
  searchDefaults,
} from '@portico/core';
import { z } from 'zod';
import { anyUrl, aString, baseUrl, integer, milliseconds, oneOf, section } from '../setting-types.ts';
import { networkProblems } from './network-problems.ts';
import { personas } from './personas-schema.ts';
import { path, registry, signing } from './registry-schema.ts';

const pathOf = (profile: ProfileName): string => networkProfiles[profile].gatewayPath;

const jsonObject = z.record(z.string(), z.unknown().describe('Any JSON'), 'must be an object');

const leg = section({
  label: aString.describe('Display name of the network'),
  domain: aString.describe('context.domain of the search request'),
  version: aString.describe('context.version of the search request'),
  city: aString.describe('context.city of the search request'),
  categoryCode: aString.describe('Category code of the search intent'),
  bapId: aString.describe('Subscriber id of this Portico on the network, sent as context.bap_id'),
  bapUri: anyUrl.describe('Callback URL for sellers, sent unchanged as context.bap_uri'),
  gatewayUrl: baseUrl.describe('Base URL of the gateway'),
  gatewayPath: path
    .optional()
    .describe(
      `Path of the search endpoint under gatewayUrl; default ${pathOf('beckn-1.1')}, with the profile beckn-2.0 ${pathOf('beckn-2.0')}`,
    ),
  profile: oneOf(Object.keys(networkProfiles) as [ProfileName, ...ProfileName[]])
    .default('beckn-1.1')
    .describe('Version of the network, which decides the search request and the callbacks'),
  ttl: z.iso
    .duration('must be an ISO 8601 duration')
    .optional()
    .describe('context.ttl of the search request; default: the duration of search.timeoutMs'),
  extraContext: jsonObject.optional().describe('Additional context fields that this network requires'),
  extraIntent: jsonObject
    .optional()
    .describe(
      'Merged into message.intent of the search request, whose own fields win; {query}, {persona} and {user_id} in its strings are replaced',
    ),
  country: z
    .string('must be a country code of three letters')
    .regex(/^[A-Z]{3}$/, 'must be a country code of three letters')
    .optional()
    .describe(
      `With the profiles beckn-0.9 and ondc-1.2: context.country of the search request; default ${defaultCountry}`,
    ),
  finderFee: section({
    type: oneOf(['percent', 'amount']).describe('Kind of the fee'),
    amount: z
      .string('must be a decimal number in a string')
      .regex(/^\d+(?:\.\d+)?$/, 'must be a decimal number in a string')
      .describe('Percentage or amount, for example "3"'),
  })
    .optional()
    .describe('With the profile ondc-1.2, which requires it: the finder fee of the buyer application'),
  fieldNames: oneOf(['camelCase', 'snake_case'])
    .optional()
    .describe('With the profile beckn-2.0: names of the fields; default camelCase, as in version 2.0.0'),
  signing: signing.optional().describe('Key that signs the requests of this leg; without it, requests are not signed'),
  registry: registry.optional().describe('Registry of the sellers of this network; default: search.registry'),
  verifyCallbacks: z
    .boolean('must be true or false')
    .default(false)
    .describe('Accept only callbacks signed with a key from the registry'),
  callbacks: z
    .union(
      [
        z.literal('first'),
        z.strictObject({ until: z.literal('deadline') }),
        z.strictObject({ count: integer(1, 10_000) }),
        z.strictObject({ quietMs: milliseconds }),
      ],
      'must be "first", {"until": "deadline"}, {"count": n} or {"quietMs": n}',
    )
    .default('first')
    .describe('What ends the leg: its first callback, the deadline, the nth callback, or a time without callbacks'),
  maxCallbacks: integer(1, 10_000)
    .default(collectDefaults.maxCallbacks)
    .describe('Maximum number of callbacks that a leg keeps unless its first callback ends it'),
  maxBytes: integer(1, 1_073_741_824)
    .default(collectDefaults.maxBytes)
    .describe('Maximum total size of the callbacks that a leg keeps, in bytes'),
  strict: z
    .boolean('must be true or false')
    .default(false)
    .describe(
      'Refuse callbacks whose message_id, bap_id or domain differs from what was sent; otherwise only count them',
    ),
});

export const search = section({
  timeoutMs: integer(1, maxSearchMs)
    .default(searchDefaults.timeoutMs)
    .describe('How long a search waits for callbacks, in milliseconds'),
  ackTimeoutMs: milliseconds
    .default(searchTransportDefaults.ackTimeoutMs)
    .describe('Maximum time for a network to acknowledge a search, in milliseconds'),
  maxPending: integer(1, 10_000_000)
    .default(searchDefaults.maxPending)
    .describe('Maximum number of pending legs of all searches'),
  personas: personas
    .nullable()
    .default(null)
    .describe(
      'Personas (roles of users) that may search, or an object with the legs and the intent of each; null: any persona',
    ),
  legs: z
    .record(z.string().regex(/^(?!(?:elapsed_ms|errors|traces|__proto__)$)[A-Za-z0-9_-]{1,32}$/), leg, {
      error: ({ code }) =>
        code === 'invalid_key'
          ? 'must be a leg id: 1 to 32 letters, digits, _ and -, but not elapsed_ms, errors or traces'
          : 'must be an object',
    })
    .refine((legs) => Object.keys(legs).length > 0, 'must contain at least one leg')
    .optional()
    .describe('The networks to search, by leg id'),
  registry: registry
    .nullable()
    .default(null)
    .describe("Registry with sellers' keys, for legs without their own; verifyCallbacks requires one"),
  registryUrl: baseUrl
    .nullable()
    .default(null)
    .describe('URL of a registry of the profile beckn: a short form of search.registry'),
}).superRefine(
  (value, context) => {
    for (const { path, message } of networkProblems(value))
      context.addIssue({ code: 'custom', message, path: [...path] });
  },
  // Checked even when other settings are invalid.
  { when: ({ value }) => typeof value === 'object' && value !== null },
);
