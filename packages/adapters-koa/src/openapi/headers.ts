import { strongEtagPattern } from '@portico/core';
import type { Header, Reference } from './format.ts';

const text = (description: string): Header => ({ description, schema: { type: 'string' } });

/** All response headers by meaning. Transport headers (`Date`, `Connection`, …) are omitted because HTTP defines them. */
export const headers = {
  'X-Request-Id': {
    description:
      'The id of this request: the client’s `X-Request-Id` if it consists of 16 to 64 hexadecimal digits or hyphens, otherwise a new UUID.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
  'X-Content-Type-Options': {
    description: 'Disables content type sniffing (Fetch Standard).',
    required: true,
    schema: { const: 'nosniff' },
  },
  'Content-Security-Policy': {
    description: 'Forbids framing the response and running scripts in it (Content Security Policy Level 3).',
    required: true,
    schema: { type: 'string', pattern: "frame-ancestors 'none'$" },
  },
  'Access-Control-Allow-Origin': text('The requesting origin, if the server’s settings allow it (CORS).'),
  'Access-Control-Expose-Headers': text('The response headers that pages of this origin may read (CORS).'),
  'Cache-Control': text('Caching rules (RFC 9111, section 5.2).'),
  'Cache-Control.no-store': {
    description: 'The response must not be cached (RFC 9111, section 5.2.2.5).',
    required: true,
    schema: { enum: ['no-store', 'private, no-store'] },
  },
  'Cache-Control.private': {
    description: 'Responses to members must not be cached (RFC 9111, section 5.2.2).',
    required: true,
    schema: { const: 'private, no-store' },
  },
  'Cache-Control.revalidate': {
    description: 'Any cache may store the response but must revalidate it before each use.',
    required: true,
    schema: { const: 'public, no-cache' },
  },
  Vary: text('The request headers that the response depends on.'),
  'Vary.authorization': {
    description: 'The response depends on the member. `Origin` comes first if CORS is enabled.',
    required: true,
    schema: { type: 'string', pattern: '(?:^|, )Authorization$' },
  },
  'Vary.page': {
    description:
      'The response depends on the member and on the accepted media type. `Origin` comes first if CORS is enabled.',
    required: true,
    schema: { type: 'string', pattern: '(?:^|, )Authorization, Accept$' },
  },
  'Vary.accept': {
    description: 'The response depends on the accepted media type. `Origin` comes first if CORS is enabled.',
    required: true,
    schema: { type: 'string', pattern: '(?:^|, )Accept$' },
  },
  'WWW-Authenticate': {
    description:
      '`Bearer realm="portico"`, with `error="invalid_token"` if a token was sent, or `error="insufficient_scope"` and the `scope` that it lacks (RFC 6750, section 3). Where DPoP is enabled, also a `DPoP` challenge (RFC 9449, section 7.1). For callbacks, a `Signature` challenge.',
    required: true,
    schema: { type: 'string', pattern: '^(?:Bearer|DPoP|Signature) realm="portico"' },
  },
  'Retry-After': {
    description: 'Seconds to wait before retrying (RFC 9110, section 10.2.3).',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: {
    description: 'The methods that this route supports (RFC 9110, section 10.2.1).',
    required: true,
    schema: { type: 'string', examples: ['GET, HEAD, POST'] },
  },
  'Accept-Patch': text('The media types accepted for PATCH (RFC 5789, section 3.1).'),
  Location: {
    description: 'The path of the new claim, if the claims system returned a valid locator.',
    schema: { type: 'string', pattern: '^/me/claims/[A-Za-z0-9]' },
  },
  ETag: text('Entity tag of the response (RFC 9110, section 8.8.3).'),
  'ETag.strong': {
    description:
      'The value to send in `If-Match`. Absent if the service returns no strong entity tag (RFC 9110, section 8.8.3).',
    schema: { type: 'string', pattern: strongEtagPattern },
  },
  'Last-Modified': text('Date of the last modification (RFC 9110, section 8.8.2).'),
  'Accept-Ranges': text('The range units that the document supports (RFC 9110, section 14.3).'),
  'Content-Range': {
    description:
      'The returned byte range and the total length; with 416, only the total length (RFC 9110, section 14.4).',
    schema: { type: 'string', pattern: '^bytes ' },
  },
  'Content-Disposition': {
    description: 'Displays the PDF in the browser; the file name is derived from the locator (RFC 6266).',
    required: true,
    schema: { type: 'string', pattern: '^inline; filename="[A-Za-z0-9._-]+\\.pdf"$' },
  },
  'Content-Disposition.any': {
    description: 'Displays an image in the browser and saves any other type; the file name is derived from the path.',
    required: true,
    schema: { type: 'string', pattern: '^(?:inline|attachment); filename="[A-Za-z0-9._-]+"$' },
  },
  'X-Accel-Buffering': {
    description: 'Disables response buffering in nginx, so that each event arrives immediately.',
    schema: { const: 'no' },
  },
} as const satisfies Readonly<Record<string, Header>>;

/** References to these headers by header name: the key of `Cache-Control.private` is `Cache-Control`. */
export const headerRefs = (...meanings: readonly (keyof typeof headers)[]): Readonly<Record<string, Reference>> =>
  Object.fromEntries(
    meanings.map((meaning) => [headerName(meaning), { $ref: `#/components/headers/${meaning}` } satisfies Reference]),
  );

/** The name of the header in a response. */
export const headerName = (meaning: string): string => meaning.split('.', 1)[0]!;

/** Headers of every response, required or optional. */
export const commonHeaders = headerRefs(
  'X-Request-Id',
  'X-Content-Type-Options',
  'Content-Security-Policy',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Vary',
);

/** Headers of every response under `/me`. */
export const memberHeaders = { ...commonHeaders, ...headerRefs('Cache-Control.private', 'Vary.authorization') };

/** Headers of responses that must not be cached. */
export const uncachedHeaders = { ...commonHeaders, ...headerRefs('Cache-Control.no-store') };

/** Headers of a search response, which is JSON or an event stream according to `Accept`. */
export const searchHeaders = { ...uncachedHeaders, ...headerRefs('Vary.accept') };

/** Headers of responses that stay the same as long as the process runs. */
export const revalidatedHeaders = { ...commonHeaders, ...headerRefs('Cache-Control.revalidate', 'ETag') };
