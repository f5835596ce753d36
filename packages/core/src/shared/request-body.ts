import { err, ok, type Result } from 'neverthrow';
import { type Failure, invalid } from './failure.ts';
import { isObject, type Json, type JsonObject } from './json/json.ts';
import { nestsDeeperThan, withoutFields } from './json/json-scan.ts';

/** The maximum depth of nesting in a JSON body. Callbacks of sellers may be nested deeper. */
export const maxBodyDepth = 64;

/**
 * Accepts a JSON object, nested at most `maxBodyDepth` levels deep, and removes every field that names a member. Refuses one
 * of which nothing is left: it would replace what the service has by nothing.
 */
export const parseAnyObject = (body: Json): Result<Json, Failure> => {
  if (!isObject(body.value)) return refuse('The body must be a JSON object.', 'must be a JSON object');
  if (nestsDeeperThan(maxBodyDepth, body.text))
    return refuse('The body is nested too deeply.', `must not be nested more than ${maxBodyDepth} levels deep`);
  const text = withoutFields(body.text, isMemberField);
  return text === body.text ? ok(body) : notEmpty({ text, value: JSON.parse(text) as unknown });
};

/** The same for a non-empty object. */
export const parseObjectBody = (body: Json): Result<Json, Failure> => parseAnyObject(body).andThen(notEmpty);

const notEmpty = (body: Json): Result<Json, Failure> =>
  Object.keys(body.value as JsonObject).length > 0
    ? ok(body)
    : refuse('The body must not be empty.', 'must have at least one field');

const refuse = (detail: string, message: string): Result<never, Failure> => err(invalid(detail, { path: '', message }));

/** Whether a field name identifies a member, in any spelling: `partyLocator`, `x-party-locator`, `Party_Locator`. */
export const isMemberField = (field: string): boolean => /^(?:x[-_]?)?(?:party|member)[-_]?locator$/i.test(field);
