import type { MediaType, RequestBody, Response, Schema } from './format.ts';
import { memberHeaders } from './headers.ts';
import { memberProblems } from './problems.ts';
import { schemaOf } from './schemas/schema-builders.ts';

/** The security of all operations under `/me`. */
export const bearer = [{ bearer: [] }] as const;

/**
 * A downstream response, relayed byte for byte. The schema is a recommendation, so it requires no field; generators
 * make types of it. The example is a response of the sandbox.
 */
export const relayed = (
  schema: string,
  description: string,
  { example, headers }: { readonly example?: unknown; readonly headers?: Response['headers'] } = {},
): Response =>
  json(
    schema,
    `${description} Relayed byte for byte; the schema is recommended.`,
    { ...memberHeaders, ...headers },
    example,
  );

/** A 204 of the downstream service, relayed. */
export const noContent: Response = {
  description: 'The downstream service returned no content.',
  headers: memberHeaders,
};

/** The responses that all routes with JSON have: 204, and the problems of a member request. */
export const otherResponses = (...notFound: Parameters<typeof memberProblems>) => ({
  204: noContent,
  ...memberProblems(...notFound),
});

/** A JSON response that Portico itself creates. */
export const json = (
  schema: string,
  description: string,
  common: Response['headers'],
  example?: unknown,
): Response => ({
  description,
  headers: common,
  content: { 'application/json': { schema: schemaOf(schema), ...(example !== undefined && { example }) } },
});

/** A required request body with the same schema and example for each of these media types. */
export const body = (
  description: string,
  media: MediaType,
  types: readonly string[] = ['application/json'],
): RequestBody => ({
  required: true,
  description,
  content: Object.fromEntries(types.map((type) => [type, media])),
});

/** Any object. Portico removes fields that name a member before forwarding it. */
export const anyObject: Schema = { type: 'object', additionalProperties: true };

export const nonEmptyObject: Schema = { ...anyObject, minProperties: 1 };

/** A request body in the format of this service. */
export const forwardedBody = (what: string, service: string, media: MediaType, types?: readonly string[]) =>
  body(
    `${what}, in the format of ${service}. Forwarded unchanged, except that fields that name a member are removed.`,
    media,
    types,
  );
