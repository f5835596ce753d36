import { err, ok, type Result } from 'neverthrow';
import { type Failure, invalid } from './failure.ts';

/** The `entity-tag` rule of RFC 9110, section 8.8.3, limited to ASCII. */
const tag = String.raw`"[\x21\x23-\x7e]*"`;
/** A strong entity tag, and a value of `If-Match`, as patterns for the OpenAPI document. */
export const strongEtagPattern = `^${tag}$`;
export const ifMatchPattern = String.raw`^(?:\*|(?:W/)?${tag}(?:[ \t]*,[ \t]*(?:W/)?${tag})*)$`;
const strong = new RegExp(strongEtagPattern);
const conditions = new RegExp(ifMatchPattern);

/**
 * Returns the value if it is a strong entity tag, else undefined. A weak one (`W/"…"`) never matches an `If-Match`
 * (RFC 9110, section 13.1.1), so it cannot guard a write.
 */
export const strongEtag = (value: string | null | undefined): string | undefined => value?.match(strong)?.[0];

/** Validates an `If-Match` value (RFC 9110, section 13.1.1): `*` or entity tags. Fails `invalid`. */
export const parseIfMatch = (ifMatch: string | undefined): Result<string | undefined, Failure> =>
  ifMatch === undefined || conditions.test(ifMatch)
    ? ok(ifMatch)
    : err(
        invalid('The If-Match header is not valid.', {
          path: '/If-Match',
          message: 'must be * or a list of quoted entity tags',
        }),
      );

/** Whether `ifMatch` matches a resource with this entity tag; undefined matches nothing (RFC 9110, section 13.1.1). */
export const matches = (ifMatch: string, etag: string | undefined): boolean =>
  etag !== undefined && (ifMatch === '*' || ifMatch.match(/(?:W\/)?"[^"]*"/g)?.some((tag) => tag === etag) === true);
