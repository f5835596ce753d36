import type { Header, Reference } from './format.ts';

/** What a header says, wherever it stands. Those of the transport (`Date`, `Connection`, …) belong to HTTP and are left out. */
export const headers = {
  'X-Request-Id': {
    description:
      'The id of this request: the one that the caller gave in `X-Request-Id` when it has 16 to 64 hexadecimal digits or hyphens, else a new UUID.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
  'X-Content-Type-Options': { description: 'Fetch Standard.', required: true, schema: { const: 'nosniff' } },
  'Content-Security-Policy': {
    description: 'Nothing in the answer may be run or framed (Content Security Policy Level 3).',
    required: true,
    schema: { type: 'string', pattern: "frame-ancestors 'none'$" },
  },
  'Access-Control-Allow-Origin': {
    description: 'The origin that asked, where it is on the list of the server’s settings (CORS).',
    schema: { type: 'string' },
  },
  'Access-Control-Expose-Headers': {
    description: 'Which headers a page of that origin may read.',
    schema: { type: 'string' },
  },
  'Access-Control-Allow-Methods': {
    description: 'Which methods such a page may use.',
    schema: { type: 'string' },
  },
  'Access-Control-Allow-Headers': {
    description: 'Which headers such a page may send.',
    schema: { type: 'string' },
  },
  'Access-Control-Max-Age': {
    description: 'For how many seconds that holds.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Cache-Control': { description: 'RFC 9111, section 5.2.', schema: { type: 'string' } },
  'Cache-Control.no-store': {
    description: 'No cache may keep the answer (RFC 9111, section 5.2.2.5).',
    required: true,
    schema: { enum: ['no-store', 'private, no-store'] },
  },
  'Cache-Control.private': {
    description: 'No cache may keep what a member sees (RFC 9111, section 5.2.2).',
    required: true,
    schema: { const: 'private, no-store' },
  },
  'Cache-Control.revalidate': {
    description: 'May be kept by anybody, and is asked about each time.',
    required: true,
    schema: { const: 'public, no-cache' },
  },
  Vary: { description: 'Which request headers the answer depends on.', schema: { type: 'string' } },
  'Vary.authorization': {
    description: 'The answer is this member’s; behind `Origin` where pages of other origins are let in.',
    required: true,
    schema: { type: 'string', pattern: '(?:^|, )Authorization$' },
  },
  'Vary.accept': {
    description: 'The answer depends on what was asked for; behind `Origin` where pages of other origins are let in.',
    required: true,
    schema: { type: 'string', pattern: '(?:^|, )Accept$' },
  },
  'WWW-Authenticate': {
    description:
      '`Bearer realm="portico"`, and `error="invalid_token"` when there was a token (RFC 6750, section 3); `/on_search` asks for a `Signature`.',
    required: true,
    schema: { type: 'string', pattern: '^(?:Bearer|Signature) realm="portico"' },
  },
  'Retry-After': {
    description: 'When to come back, in seconds (RFC 9110, section 10.2.3).',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: {
    description: 'The methods of this route (RFC 9110, section 10.2.1).',
    required: true,
    schema: { type: 'string', examples: ['GET, HEAD, POST'] },
  },
  'Accept-Patch': {
    description: 'What a PATCH may be (RFC 5789, section 3.1).',
    schema: { type: 'string' },
  },
  Location: {
    description: 'Where the new claim can be read, when the claims system named a valid locator.',
    schema: { type: 'string', pattern: '^/me/claims/[A-Za-z0-9]' },
  },
  ETag: { description: 'RFC 9110, section 8.8.3.', schema: { type: 'string' } },
  'ETag.strong': {
    description:
      'What to send in `If-Match`; not there where the service gives no strong entity tag (RFC 9110, section 8.8.3).',
    schema: { type: 'string', pattern: '^"[\\x21\\x23-\\x7e]*"$' },
  },
  'Last-Modified': { description: 'RFC 9110, section 8.8.2.', schema: { type: 'string' } },
  'Accept-Ranges': { description: 'RFC 9110, section 14.3.', schema: { type: 'string' } },
  'Content-Range': {
    description: 'Which part this is, or how long the whole is (RFC 9110, section 14.4).',
    schema: { type: 'string', pattern: '^bytes ' },
  },
  'Content-Disposition': {
    description: 'Shown in the browser; saved under the locator’s name (RFC 6266).',
    required: true,
    schema: { type: 'string', pattern: '^inline; filename="[A-Za-z0-9._-]+\\.pdf"$' },
  },
  'X-Accel-Buffering': {
    description: 'A proxy in between passes each event on at once (nginx).',
    schema: { const: 'no' },
  },
} as const satisfies Readonly<Record<string, Header>>;

/** These headers, each under its own name and with its meaning: `Cache-Control.private` is a `Cache-Control`. */
export const sent = (...meanings: readonly (keyof typeof headers)[]): Readonly<Record<string, Reference>> =>
  Object.fromEntries(
    meanings.map((meaning) => [sentName(meaning), { $ref: `#/components/headers/${meaning}` } satisfies Reference]),
  );

/** What stands on the wire. */
export const sentName = (meaning: string): string => meaning.split('.', 1)[0]!;

/** Every answer of ours has them, or may have them. */
export const always = sent(
  'X-Request-Id',
  'X-Content-Type-Options',
  'Content-Security-Policy',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Vary',
);

/** Every answer under `/me`. */
export const underMe = { ...always, ...sent('Cache-Control.private', 'Vary.authorization') };

/** Whatever must be fresh. */
export const notStored = { ...always, ...sent('Cache-Control.no-store') };

/** Of a search: one answer or events, as the caller accepts. */
export const bySearch = { ...notStored, ...sent('Vary.accept') };

/** What lasts as long as the process. */
export const revalidated = { ...always, ...sent('Cache-Control.revalidate', 'ETag') };
