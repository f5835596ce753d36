import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';
import { openApiDocument } from '../mounting/openapi-document.ts';
import type { Header, Method, OpenApiDocument, Operation, Response, Schema } from './format.ts';
import { commonHeaders, headerRefs, headers as documentedHeaders } from './headers.ts';
import { problemResponses } from './problems.ts';
import { resolved } from './reference.ts';

/** A received response. `body` is absent if the test does not read it. */
export interface ObservedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body?: Buffer;
}

/** The document of all routes; that of an instance is a part of it. */
export const fullDocument = openApiDocument();

/** Headers that no route controls. The content type is compared with the media types. */
const transportHeaders = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

/** Problems that any request can get before it reaches a route. */
const generalCodes = new Set([
  'invalid-request',
  'no-such-route',
  'method-not-allowed',
  'rate-limited',
  'overloaded',
  'too-large',
  'header-too-large',
  'request-timeout',
]);

/** Returns the differences between a response and the document. */
export const mismatches = (
  method: string,
  target: string,
  response: ObservedResponse,
  document: OpenApiDocument = fullDocument,
): readonly string[] => {
  const path = target.split(/[?#]/, 1)[0]!;
  const operation = operationOf(document, method, path);
  const general = generalResponse(document, method, path, response);
  const found = general ?? operation?.responses[response.status];
  const subject = `${method} ${path} ${response.status}`;
  if (!found) return [`${subject}: ${operation ? 'the status' : 'the route'} is not documented`];
  const documented = resolved(found, document.components.responses);
  const compared = isRelayed(path, response) ? withAnyJson(documented) : documented;
  const observed = path === '/me' ? withoutBodies(response) : response;
  return differences(compared, method, observed, document).map((difference) => `${subject}: ${difference}`);
};

/** Bodies of services are relayed whatever they contain: their schemas are only recommended. */
const isRelayed = (path: string, { status }: ObservedResponse): boolean => path.startsWith('/me/') && status < 300;

/** `GET /me` without the bodies of its parts, which are relayed too. */
const withoutBodies = (response: ObservedResponse): ObservedResponse => {
  const { status, headers, body } = response;
  if (status !== 200 || !headers['content-type']?.startsWith('application/json') || !body?.length) return response;
  const page = JSON.parse(body.toString()) as { readonly parts: Readonly<Record<string, object>> };
  const parts = Object.entries(page.parts).map(([name, part]) => [name, { ...part, body: undefined }]);
  return { ...response, body: Buffer.from(JSON.stringify({ ...page, parts: Object.fromEntries(parts) })) };
};

const withAnyJson = (response: Response): Response =>
  response.content?.['application/json'] ? { ...response, content: { 'application/json': {} } } : response;

/** The operation of this method (GET for HEAD) whose path template matches; paths without parameters take precedence. A path with a trailing slash is an alias. */
const operationOf = ({ paths }: OpenApiDocument, method: string, path: string): Operation | undefined => {
  const matches = (template: string) =>
    new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path);
  const template = [path, path.replace(/\/$/, '')].find((each) => each in paths) ?? Object.keys(paths).find(matches);
  return paths[template as `/${string}`]?.[method === 'HEAD' ? 'get' : (method.toLowerCase() as Method)];
};

const inPreflight = (schema: Schema): Header => ({
  description: 'A permission of the requesting origin (CORS).',
  schema,
});

/** The response of every route to `OPTIONS`: its methods, or the CORS permissions of the requesting origin. */
const options: Response = {
  description: 'The methods of the route or, for a CORS preflight request, what the origin may send.',
  headers: {
    ...commonHeaders,
    ...headerRefs('Cache-Control'),
    'Access-Control-Allow-Methods': inPreflight({ type: 'string' }),
    'Access-Control-Allow-Headers': inPreflight({ type: 'string' }),
    'Access-Control-Max-Age': inPreflight({ type: 'integer', minimum: 0 }),
    Allow: { ...documentedHeaders.Allow, required: false },
  },
};

/** Responses that any route can return. The document describes them once, in `info.description`. */
const generalResponses: Readonly<Record<string, Response>> = {
  ...problemResponses(''),
  ...problemResponses('me.'),
  options,
};

/** The response to a request that no operation handles. */
const generalResponse = (
  document: OpenApiDocument,
  method: string,
  path: string,
  { status, headers, body }: ObservedResponse,
): Response | undefined => {
  if (method === 'OPTIONS' && status === 204) return generalResponses['options'];
  const hasOperation = operationOf(document, method, path) !== undefined;
  const code = codeOf(method, headers, body, status);
  if (code === undefined || !generalCodes.has(code) || (hasOperation && code !== 'no-such-route')) return undefined;
  const isPrivate = /^\/me(?:\/|$)/.test(path) && headers['cache-control'] !== undefined;
  return generalResponses[`${isPrivate ? 'me.' : ''}${code}`];
};

/** The problem code. A response to HEAD has no body, so the code is derived from the status. */
const codeOf = (method: string, headers: IncomingHttpHeaders, body: Buffer | undefined, status: number) => {
  if (headers['content-type'] !== 'application/problem+json') return undefined;
  if (method === 'HEAD')
    return { 404: 'no-such-route', 405: 'method-not-allowed', 429: 'rate-limited', 503: 'overloaded' }[status];
  return (JSON.parse(String(body)) as { readonly code?: string }).code;
};

/** Returns the differences between a response and its documentation. */
const differences = (
  response: Response,
  method: string,
  { headers, body, status }: ObservedResponse,
  document: OpenApiDocument = fullDocument,
): readonly string[] => {
  const known = new Map(
    Object.entries(response.headers).map(([name, header]) => [
      name.toLowerCase(),
      resolved<Header>(header, documentedHeaders),
    ]),
  );
  const undocumented = Object.keys(headers).filter((name) => !known.has(name) && !transportHeaders.has(name));
  const missing = [...known].filter(([name, { required }]) => required && headers[name] === undefined);
  const wrong = [...known].flatMap(([name, { schema }]) => {
    const value = headers[name];
    return value === undefined
      ? []
      : violations(schema, schema.type === 'integer' ? Number(value) : String(value), document);
  });
  return [
    ...undocumented.map((name) => `the header ${name} is not documented`),
    ...missing.map(([name]) => `the header ${name} is missing`),
    ...wrong.map((message) => `a header does not match its schema: ${message}`),
    ...bodyDifferences(response, method, { headers, status, ...(body && { body }) }, document),
  ];
};

const bodyDifferences = (
  { content = {} }: Response,
  method: string,
  { headers, body }: ObservedResponse,
  document: OpenApiDocument,
): readonly string[] => {
  const type = headers['content-type']?.split(';', 1)[0];
  if (type === undefined) {
    const isBare = Object.keys(content).length === 0 && !body?.length;
    return isBare ? [] : ['it has no content type'];
  }
  const media = content[type];
  if (!media) return [`the content type ${type} is not documented`];
  if (body === undefined) return [];
  if (method === 'HEAD') return body.length === 0 ? [] : ['a response to HEAD has a body'];
  const value: unknown = /[/+]json$/.test(type) ? JSON.parse(body.toString()) : body.toString('latin1');
  return violations(media.schema ?? {}, value, document).map(
    (message) => `the body does not match its schema: ${message}`,
  );
};

const ajv = new Ajv2020({ strict: true, allErrors: true });
formats.default(ajv);
// The targets of references are part of each compiled schema, but not a validation keyword.
ajv.addKeyword('components');

const compiled = new WeakMap<OpenApiDocument, Map<string, ValidateFunction>>();

/** Compiles a schema of the document in ajv's strict mode, which throws for unknown keywords. */
export const validatorOf = (schema: Schema, document: OpenApiDocument = fullDocument): ValidateFunction => {
  const text = JSON.stringify(schema);
  const known = compiled.get(document) ?? new Map<string, ValidateFunction>();
  const { schemas } = document.components;
  const validate = known.get(text) ?? ajv.compile({ components: { schemas }, ...schema });
  compiled.set(document, known.set(text, validate));
  return validate;
};

const violations = (schema: Schema, value: unknown, document = fullDocument): readonly string[] => {
  const validate = validatorOf(schema, document);
  return validate(value) ? [] : [ajv.errorsText(validate.errors)];
};

/** Fails the test if a response does not match the document. */
export const expectDocumented = (method: string, target: string, response: ObservedResponse): void => {
  expect(mismatches(method, target, response)).toEqual([]);
};

/** Fails the test if the raw response to a malformed request is not one of the problems documented for all paths. */
export const expectDocumentedRefusal = (wire: string): void => {
  const [head = '', text = ''] = wire.split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const { code } = JSON.parse(text) as { readonly code: string };
  const response = generalResponses[code]!;
  const observed = { status: Number(first.split(' ')[1]), headers, body: Buffer.from(text) };
  expect([generalCodes.has(code), differences(response, 'GET', observed)]).toEqual([true, []]);
};

export const expectSchema = (name: string, value: unknown): void => {
  expect(violations({ $ref: `#/components/schemas/${name}` }, value)).toEqual([]);
};
