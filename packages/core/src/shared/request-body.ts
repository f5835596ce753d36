import { err, ok, type Result } from 'neverthrow';
import { type Failure, invalid } from './failure.ts';
import type { Json } from './json.ts';
import { nestsDeeperThan } from './json-depth.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const maxDepth = 64;

/** A non-empty JSON object, nested at most 64 deep, from which every field that names a member has been taken out. */
export const parseObjectBody = (body: Json): Result<Json, Failure> => {
  if (!isObject(body.value))
    return err(invalid('The body must be a JSON object.', mustBe('', 'must be a JSON object')));
  if (nestsDeeperThan(maxDepth, body.text))
    return err(invalid('The body is nested too deep.', mustBe('', `must nest at most ${maxDepth} deep`)));
  const kept = hasMemberName(body) ? withoutMemberNames(body) : body;
  return Object.keys(kept.value as JsonObject).length > 0
    ? ok(kept)
    : err(invalid('The body must not be empty.', mustBe('', 'must have at least one field')));
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mustBe = (path: string, message: string) => ({ path, message });

/** Whether a field or header names the member, in any of its spellings: `partyLocator`, `x-party-locator`, `Party_Locator`. */
const namesMember = (field: string) => /^(?:x[-_]?)?(?:party|member)[-_]?locator$/i.test(field);

/**
 * Whether any field of the text names the member. The value does not show every field: a repeated key hides the first
 * one, which would still be passed on.
 */
const hasMemberName = ({ text }: Json): boolean => {
  const colon = /\s*:/y;
  let opened: number | undefined;
  for (const { 0: mark, index } of text.matchAll(/\\.|"/g)) {
    if (opened === undefined) opened = index;
    else if (mark === '"') {
      colon.lastIndex = index + 1;
      if (colon.test(text) && namesMember(JSON.parse(text.slice(opened, index + 1)) as string)) return true;
      opened = undefined;
    }
  }
  return false;
};

/** The reviver's third argument and `JSON.rawJSON` (ECMAScript 2026) keep every number's digits as they were written. */
const withoutMemberNames = (body: Json): Json => {
  const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
  const { rawJSON } = JSON as unknown as { rawJSON: (source: string) => unknown };
  const stripped = parse(body.text, (key, value, { source }) => {
    if (namesMember(key)) return undefined;
    return typeof value === 'number' && source !== undefined ? rawJSON(source) : value;
  });
  const text = JSON.stringify(stripped);
  return { text, value: JSON.parse(text) as unknown };
};

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
