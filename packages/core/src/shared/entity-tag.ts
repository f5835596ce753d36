import { err, ok, type Result } from 'neverthrow';
import { type Failure, invalid } from './failure.ts';

/** `entity-tag` of RFC 9110, section 8.8.3, in ASCII. */
const tag = String.raw`"[\x21\x23-\x7e]*"`;
const strong = new RegExp(`^${tag}$`);
const conditions = new RegExp(String.raw`^(?:\*|(?:W/)?${tag}(?:[ \t]*,[ \t]*(?:W/)?${tag})*)$`);

/**
 * The value when it is a strong entity tag, else nothing. A weak one (`W/"…"`) never matches an `If-Match`
 * (RFC 9110, section 13.1.1), so it cannot guard a write.
 */
export const strongEtag = (value: string | null | undefined): string | undefined =>
  typeof value === 'string' && strong.test(value) ? value : undefined;

/** The value of an `If-Match` (RFC 9110, section 13.1.1): `*` or entity tags. Fails `invalid`, and names the header. */
export const parseIfMatch = (ifMatch: string | undefined): Result<string | undefined, Failure> =>
  ifMatch === undefined || conditions.test(ifMatch)
    ? ok(ifMatch)
    : err(invalid('The If-Match is not valid.', { path: '/If-Match', message: 'must be * or entity tags in quotes' }));

/** Whether the condition holds for a resource with this entity tag, or for none (RFC 9110, section 13.1.1). */
export const matches = (ifMatch: string, etag: string | undefined): boolean =>
  etag !== undefined && (ifMatch === '*' || ifMatch.match(/(?:W\/)?"[^"]*"/g)?.some((tag) => tag === etag) === true);
