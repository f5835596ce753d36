import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';
import { openApiDocument } from './document.ts';
import type { Header, Method, OpenApiDocument, Operation, Response, Schema } from './format.ts';
import { resolved } from './reference.ts';

/** What was sent back, as far as it has been read: `body` is left out where nobody waits for its end. */
export interface SeenAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body?: Buffer;
}

/** Everything that can be served; what an instance serves is a part of it. */
export const everything = openApiDocument();

/** HTTP's own, which no route decides on; the content type is compared with the media types. */
const ofTransport = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

/** What stands before every route may say this to any request at all. */
const anywhere = new Set([
  'invalid-request',
  'no-such-route',
  'method-not-allowed',
  'rate-limited',
  'overloaded',
  'too-large',
  'header-too-large',
  'request-timeout',
]);

/** How an answer differs from what the document says; nothing when it does not. */
export const disagreements = (
  method: string,
  target: string,
  answer: SeenAnswer,
  document: OpenApiDocument = everything,
): readonly string[] => {
  const path = target.split(/[?#]/, 1)[0]!;
  const operation = operationOf(document, method, path);
  const general = generalResponse(document, method, path, answer);
  const found = general ?? operation?.responses[answer.status];
  const about = `${method} ${path} ${answer.status}`;
  if (!found) return [`${about}: ${operation ? 'the status' : 'the route'} is not documented`];
  return differences(document, resolved(found, document.components.responses), method, answer).map(
    (difference) => `${about}: ${difference}`,
  );
};

/** The operation with this method (`GET`, of a head) whose path template the path fits; one without parameters goes first. */
const operationOf = ({ paths }: OpenApiDocument, method: string, path: string): Operation | undefined => {
  const fits = (template: string) =>
    new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path);
  const template = path in paths ? path : Object.keys(paths).find(fits);
  return paths[template as `/${string}`]?.[method === 'HEAD' ? 'get' : (method.toLowerCase() as Method)];
};

/** What is documented once for all routes, because it is said before, or instead of, any of them. */
const generalResponse = (
  document: OpenApiDocument,
  method: string,
  path: string,
  { status, headers, body }: SeenAnswer,
): Response | undefined => {
  const { responses } = document.components;
  if (method === 'OPTIONS' && status === 204) return responses['options'];
  const isOurs = operationOf(document, method, path) !== undefined;
  const code = codeOf(method, headers, body, status);
  if (code === undefined || !anywhere.has(code) || (isOurs && code !== 'no-such-route')) return undefined;
  const isPrivate = /^\/me(?:\/|$)/.test(path) && headers['cache-control'] !== undefined;
  return responses[`${isPrivate ? 'me.' : ''}${code}`];
};

/** A head has no body to read the code from. */
const codeOf = (method: string, headers: IncomingHttpHeaders, body: Buffer | undefined, status: number) => {
  if (headers['content-type'] !== 'application/problem+json') return undefined;
  if (method === 'HEAD')
    return { 404: 'no-such-route', 405: 'method-not-allowed', 429: 'rate-limited', 503: 'overloaded' }[status];
  return (JSON.parse(String(body)) as { readonly code?: string }).code;
};

/** How an answer differs from one response of the document. */
const differences = (
  { components }: OpenApiDocument,
  response: Response,
  method: string,
  { headers, body, status }: SeenAnswer,
): readonly string[] => {
  const known = new Map(
    Object.entries(response.headers).map(([name, header]) => [
      name.toLowerCase(),
      resolved<Header>(header, components.headers),
    ]),
  );
  const undocumented = Object.keys(headers).filter((name) => !known.has(name) && !ofTransport.has(name));
  const missing = [...known].filter(([name, { required }]) => required && headers[name] === undefined);
  const wrong = [...known].flatMap(([name, { schema }]) => {
    const value = headers[name];
    return value === undefined ? [] : violations(schema, schema.type === 'integer' ? Number(value) : String(value));
  });
  return [
    ...undocumented.map((name) => `the header ${name} is not documented`),
    ...missing.map(([name]) => `the header ${name} is missing`),
    ...wrong.map((words) => `a header is not as documented: ${words}`),
    ...bodyDifferences(response, method, { headers, status, ...(body && { body }) }),
  ];
};

const bodyDifferences = (
  { content = {} }: Response,
  method: string,
  { headers, body }: SeenAnswer,
): readonly string[] => {
  const type = headers['content-type']?.split(';', 1)[0];
  if (type === undefined) {
    const isBare = Object.keys(content).length === 0 && !body?.length;
    return isBare ? [] : ['it has no content type'];
  }
  const media = content[type];
  if (!media) return [`the content type ${type} is not documented`];
  if (body === undefined) return [];
  if (method === 'HEAD') return body.length === 0 ? [] : ['a head has a body'];
  const value: unknown = /[/+]json$/.test(type) ? JSON.parse(body.toString()) : body.toString('latin1');
  return violations(media.schema ?? {}, value).map((words) => `the body is not as documented: ${words}`);
};

const ajv = new Ajv2020({ strict: true, allErrors: true });
formats.default(ajv);
// Where the references lead to: part of each schema that is compiled, and no rule.
ajv.addKeyword('components');

const compiled = new Map<string, ValidateFunction>();

/** Compiles a schema of the document in ajv's strict mode, which throws for whatever it does not know. */
export const validatorOf = (schema: Schema, { components }: OpenApiDocument = everything): ValidateFunction => {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? ajv.compile({ components: { schemas: components.schemas }, ...schema });
  compiled.set(text, validate);
  return validate;
};

const violations = (schema: Schema, value: unknown): readonly string[] => {
  const validate = validatorOf(schema);
  return validate(value) ? [] : [ajv.errorsText(validate.errors)];
};

/** Fails the test that got an answer which is not as the document says. */
export const expectDocumented = (method: string, target: string, answer: SeenAnswer): void => {
  expect(disagreements(method, target, answer)).toEqual([]);
};

/** Of what the parser refused, the bytes on the wire: they must be one of the answers that are there for all paths. */
export const expectDocumentedRefusal = (wire: string): void => {
  const [head = '', text = ''] = wire.split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const { code } = JSON.parse(text) as { readonly code: string };
  const response = everything.components.responses[code]!;
  const seen = { status: Number(first.split(' ')[1]), headers, body: Buffer.from(text) };
  expect([anywhere.has(code), differences(everything, response, 'GET', seen)]).toEqual([true, []]);
};

export const expectSchema = (name: string, value: unknown): void => {
  expect(violations({ $ref: `#/components/schemas/${name}` }, value)).toEqual([]);
};
