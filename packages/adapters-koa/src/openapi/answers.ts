import type { MediaType, RequestBody, Response, Schema } from './format.ts';
import { headers, sent, underMe } from './headers.ts';

export const schemaOf = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** The security of everything under `/me`. */
export const bearer = [{ bearer: [] }] as const;

/**
 * A downstream's answer, passed on byte for byte: so any JSON at all may come, and the shape is what we recommend.
 */
export const relayed = (schema: string, description: string, more: Response['headers'] = {}): Response => ({
  description: `${description} Relayed byte for byte: the shape is a recommendation, and any JSON may come.`,
  headers: { ...underMe, ...more },
  content: { 'application/json': { schema: { anyOf: [schemaOf(schema), {}] } } },
});

/** The downstream gave no content, so neither do we. */
export const noContent: Response = { description: 'The service said yes and gave no content.', headers: underMe };

/** What we say ourselves. */
export const json = (schema: string, description: string, common: Response['headers']): Response => ({
  description,
  headers: common,
  content: { 'application/json': { schema: schemaOf(schema) } },
});

/** The same body in each of these media types. */
export const body = (
  description: string,
  { schema, example }: MediaType,
  types: readonly string[] = ['application/json'],
): RequestBody => ({
  required: true,
  description,
  content: Object.fromEntries(types.map((type) => [type, { ...(schema && { schema }), example }])),
});

/** Any object with something in it; fields that name the member are taken out of it. */
export const anyObject: Schema = { type: 'object', minProperties: 1, additionalProperties: true };

/** What every route says to `OPTIONS`, with its methods or, to a page of another origin, what that may do. */
export const options: Response = {
  description: 'The answer to `OPTIONS`: the methods of the route, or what a page of another origin may do (CORS).',
  headers: {
    ...sent('X-Request-Id', 'X-Content-Type-Options', 'Content-Security-Policy', 'Vary', 'Cache-Control'),
    ...sent('Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Access-Control-Allow-Methods'),
    ...sent('Access-Control-Allow-Headers', 'Access-Control-Max-Age'),
    Allow: { ...headers.Allow, required: false },
  },
};
