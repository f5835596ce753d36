import { searchLengths } from '@portico/core';
import { z } from 'zod';
import { aString, nonEmptyArray, section } from '../setting-types.ts';

const message = 'must be a non-empty array of strings, an object with personas, or null';

const persona = section({
  legs: nonEmptyArray(aString, 'must be a non-empty array of leg ids')
    .optional()
    .describe('Ids of the legs that are searched for this persona; default: all'),
  intent: z
    .record(z.string(), z.unknown().describe('Any JSON'), 'must be an object')
    .optional()
    .describe('Merged into the intent of each leg, as extraIntent is; extraIntent wins'),
});

/** A name that a search request can have: its persona is trimmed. */
const name = z
  .string()
  .refine((text) => text === text.trim() && text !== '' && Array.from(text).length <= searchLengths.persona, 'invalid');

/** The personas that may search, or what each of them searches (contract, section 13). In the order that `load.ts` expects. */
export const personas = z.union([
  z
    .record(name, persona, {
      error: ({ code }) =>
        code === 'invalid_key'
          ? `must be a persona: 1 to ${searchLengths.persona} characters, without spaces around them`
          : message,
    })
    .refine((all) => Object.keys(all).length > 0, 'must contain at least one persona'),
  nonEmptyArray(aString, message),
]);
