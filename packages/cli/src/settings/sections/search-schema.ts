import { becknSigner, searchTransportDefaults, type SigningSettings } from '@portico/adapters-http';
import { collectDefaults, searchDefaults } from '@portico/core';
import { z } from 'zod';
import { secretOf } from '../secrets.ts';
import { anyUrl, baseUrl, integer, milliseconds, nonEmptyArray, nonEmptyString, section } from '../setting-types.ts';

const aString = nonEmptyString('must be a string');
const signerId = 'must be 1 to 255 printable ASCII characters, without quotes, backslashes and vertical bars';
const signingKey = 'must be the base64 of a 32-byte Ed25519 seed, or of 64 bytes: the seed and its public key';

/** Checks one part of the signing settings, with valid values for the other parts. */
const canSign = (part: Partial<SigningSettings>): boolean => {
  try {
    becknSigner({ subscriberId: 's', uniqueKeyId: 'k', privateKey: Buffer.alloc(32).toString('base64'), ...part });
    return true;
  } catch {
    return false;
  }
};

const leg = section({
  label: aString.describe('Display name of the network'),
  domain: aString.describe('context.domain of the search request'),
  version: aString.describe('context.version of the search request'),
  city: aString.describe('context.city of the search request'),
  categoryCode: aString.describe('Category code of the search intent'),
  bapId: aString.describe('Subscriber id of this Portico on the network, sent as context.bap_id'),
  bapUri: anyUrl.describe('Callback URL for sellers, sent unchanged as context.bap_uri'),
  gatewayUrl: baseUrl.describe('Base URL of the gateway'),
  gatewayPath: z
    .string('must be a path')
    .startsWith('/', 'must be a path')
    .default('/search')
    .describe('Path of the search endpoint under gatewayUrl'),
  ttl: z.iso.duration('must be an ISO 8601 duration').default('PT10M').describe('context.ttl of the search request'),
  extraContext: z
    .record(z.string(), z.unknown().describe('Any JSON'), 'must be an object')
    .optional()
    .describe('Additional context fields that this network requires'),
  signing: section({
    subscriberId: z
      .string(signerId)
      .refine((subscriberId) => canSign({ subscriberId }), signerId)
      .describe('Subscriber id of this Portico in the registry'),
    uniqueKeyId: z
      .string(signerId)
      .refine((uniqueKeyId) => canSign({ uniqueKeyId }), signerId)
      .describe('Id of this key in the registry'),
    privateKey: secretOf(
      z.string().refine((privateKey) => canSign({ privateKey }), signingKey),
      signingKey,
    ).describe('Base64 of the 32-byte Ed25519 seed, or of the seed and its public key'),
  })
    .optional()
    .describe('Key that signs the requests of this leg; without it, requests are not signed'),
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

/** Whether a leg, which may itself be invalid, sets `verifyCallbacks`. */
const verifies = (leg: unknown): boolean =>
  typeof leg === 'object' && leg !== null && 'verifyCallbacks' in leg && leg.verifyCallbacks === true;

export const search = section({
  timeoutMs: milliseconds
    .default(searchDefaults.timeoutMs)
    .describe('How long a search waits for callbacks, in milliseconds'),
  ackTimeoutMs: milliseconds
    .default(searchTransportDefaults.ackTimeoutMs)
    .describe('Maximum time for a network to acknowledge a search, in milliseconds'),
  maxPending: integer(1, 10_000_000)
    .default(searchDefaults.maxPending)
    .describe('Maximum number of pending legs of all searches'),
  personas: nonEmptyArray(aString, 'must be a non-empty array of strings, or null')
    .nullable()
    .default(null)
    .describe('Personas (roles of users) that may search; null: any persona'),
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
  registryUrl: baseUrl
    .nullable()
    .default(null)
    .describe("URL of the registry with sellers' keys; required by verifyCallbacks"),
}).superRefine(
  ({ legs, registryUrl }, context) => {
    for (const [id, { callbacks, maxCallbacks }] of Object.entries(legs ?? {}))
      if (typeof callbacks === 'object' && 'count' in callbacks && callbacks.count > maxCallbacks)
        context.addIssue({
          code: 'custom',
          message: `must be at least ${callbacks.count}, the count of callbacks`,
          path: ['legs', id, 'maxCallbacks'],
        });
    if (registryUrl === null && Object.values(legs ?? {}).some(verifies))
      context.addIssue({
        code: 'custom',
        message: 'required when a leg sets verifyCallbacks',
        path: ['registryUrl'],
      });
  },
  // Checked even when other settings are invalid.
  { when: ({ value }) => typeof value === 'object' && value !== null },
);
