import { becknSigner, searchTransportDefaults, type SigningSettings } from '@portico/adapters-http';
import { searchDefaults } from '@portico/core';
import { z } from 'zod';
import { anyUrl, baseUrl, list, milliseconds, section, text, whole } from './kinds.ts';

const signerId = 'must be 1 to 255 visible ASCII characters without quote, backslash and bar';
const signingKey = 'must be base64 of a 32-byte Ed25519 seed, or of 64 bytes: the seed and its public key';

/** Whether the rest, which is good, could sign with this part. */
const canSign = (part: Partial<SigningSettings>): boolean => {
  try {
    becknSigner({ subscriberId: 's', uniqueKeyId: 'k', privateKey: Buffer.alloc(32).toString('base64'), ...part });
    return true;
  } catch {
    return false;
  }
};

const leg = section({
  label: text('must be a text').describe('What people call this network'),
  domain: text('must be a text').describe('context.domain of the envelope'),
  version: text('must be a text').describe('context.version of the envelope'),
  city: text('must be a text').describe('context.city of the envelope'),
  categoryCode: text('must be a text').describe('Category code of the intent'),
  bapId: text('must be a text').describe('Our subscriber id on this network'),
  bapUri: anyUrl.describe('Where the seller calls back, passed on untouched'),
  gatewayUrl: baseUrl.describe('Base address that the envelope is posted to'),
  gatewayPath: z
    .string('must be a path')
    .startsWith('/', 'must be a path')
    .default('/search')
    .describe('Path under gatewayUrl that takes a search'),
  ttl: z.iso.duration('must be an ISO 8601 duration').default('PT10M').describe('context.ttl of the envelope'),
  extraContext: z
    .record(z.string(), z.unknown().describe('Any JSON'), 'must be an object')
    .optional()
    .describe('Fields that this network wants in the context beside the usual ones'),
  signing: section({
    subscriberId: z
      .string(signerId)
      .refine((subscriberId) => canSign({ subscriberId }), signerId)
      .describe('Our subscriber id in the registry'),
    uniqueKeyId: z
      .string(signerId)
      .refine((uniqueKeyId) => canSign({ uniqueKeyId }), signerId)
      .describe('Which of our keys this is'),
    privateKey: z
      .string(signingKey)
      .refine((privateKey) => canSign({ privateKey }), signingKey)
      .describe('Base64 of the 32-byte seed, or of seed and public key'),
  })
    .optional()
    .describe('How we sign on this leg; envelopes go unsigned without it'),
  verifyCallbacks: z
    .boolean('must be true or false')
    .default(false)
    .describe('Take only callbacks whose signature the registry vouches for'),
});

/** Of what may not be a leg at all: all problems are said at once. */
const verifies = (leg: unknown): boolean =>
  typeof leg === 'object' && leg !== null && 'verifyCallbacks' in leg && leg.verifyCallbacks === true;

export const search = section({
  timeoutMs: milliseconds.default(searchDefaults.timeoutMs).describe('How long a search waits for callbacks'),
  ackTimeoutMs: milliseconds
    .default(searchTransportDefaults.ackTimeoutMs)
    .describe('How long a seller may take to acknowledge'),
  maxPending: whole(1, 10_000_000).default(searchDefaults.maxPending).describe('How many legs may be pending at once'),
  personas: list(text('must be a text'), 'must be a list of texts, or null')
    .nullable()
    .default(null)
    .describe('Personas that may search; null: any'),
  legs: z
    .record(z.string().regex(/^(?!(?:elapsed_ms|errors|traces|__proto__)$)[A-Za-z0-9_-]{1,32}$/), leg, {
      error: ({ code }) =>
        code === 'invalid_key'
          ? 'is not an id for a leg: 1 to 32 letters, digits, _ and -, not elapsed_ms, errors or traces'
          : 'must be an object',
    })
    .refine((legs) => Object.keys(legs).length > 0, 'must have at least one leg')
    .optional()
    .describe('The networks, by id'),
  registryUrl: baseUrl.nullable().default(null).describe("Where sellers' keys are looked up, for verifyCallbacks"),
}).superRefine(
  ({ legs, registryUrl }, context) => {
    if (registryUrl === null && Object.values(legs ?? {}).some(verifies))
      context.addIssue({
        code: 'custom',
        message: 'must be set when a leg has verifyCallbacks',
        path: ['registryUrl'],
      });
  },
  // Asked also when something else is wrong.
  { when: ({ value }) => typeof value === 'object' && value !== null },
);
