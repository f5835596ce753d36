import { locatorPattern } from '@portico/core';
import type { Schema } from '../format.ts';

/** Builders for the schemas of common kinds of values. */

/** A reference to the schema of this name. */
export const schemaOf = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const string = (description: string, ...examples: readonly string[]): Schema => ({
  type: 'string',
  description,
  ...(examples.length > 0 && { examples }),
});

/** One code from a closed list. */
export const code = (description: string, ...codes: readonly string[]): Schema => ({
  type: 'string',
  description,
  enum: codes,
});

export const date = (description: string): Schema => ({ type: 'string', format: 'date', description });

export const dateOrNull = (description: string): Schema => ({ type: ['string', 'null'], format: 'date', description });

export const dateTime = (description: string): Schema => ({ type: 'string', format: 'date-time', description });

export const boolean = (description: string): Schema => ({ type: 'boolean', description });

export const amount = (description: string): Schema => ({ type: 'number', description });

export const amountOrNull = (description: string): Schema => ({ type: ['number', 'null'], description });

export const currency: Schema = {
  type: 'string',
  pattern: '^[A-Z]{3}$',
  description: 'ISO 4217 code of the currency of all amounts in this object. FHIR: `Money.currency`.',
  examples: ['USD'],
};

export const list = (items: Schema, description: string): Schema => ({ type: 'array', items, description });

/** An object with these fields that may have others. */
export const object = (
  description: string,
  properties: Readonly<Record<string, Schema>>,
  ...required: readonly string[]
): Schema => ({ type: 'object', description, properties, ...(required.length > 0 && { required }) });

/** An object of the protocol Beckn: it may have any other field, so generated types accept them. */
export const open = (...of: Parameters<typeof object>): Schema => ({ ...object(...of), additionalProperties: true });

/** An object with these fields and no others. */
export const closed = (
  description: string,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = Object.keys(properties),
): Schema => ({ type: 'object', description, properties, required, additionalProperties: false });

/** A stream of server-sent events with one of these names and one of these kinds of data. */
export const eventStream = (description: string, events: readonly string[], data: readonly Schema[]): Schema => ({
  type: 'string',
  description: `Server-sent events (HTML Living Standard, section 9.2): ${description}`,
  contentMediaType: 'text/event-stream',
  contentSchema: {
    type: 'array',
    items: { type: 'object', properties: { event: { enum: events }, data: { anyOf: data } } },
  },
});

export const identifier = (description: string, example: string): Schema => ({
  type: 'string',
  pattern: locatorPattern,
  description,
  examples: [example],
});
