import { documentConditionNames, type HeaderFields } from '@portico/core';

const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[!-~](?:[\t -~]*[!-~])?$/;

/** `authorization` is set by credentials, and `host` and the framing fields by the connection, which refuses `expect`. */
const credentialsAndFraming = ['authorization', 'content-length', 'content-encoding', 'expect', 'host', 'trailer'];
/** RFC 9110, section 7.6.1, and RFC 9112, section 6.1. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
];
/** They depend on the request. */
const setByPortico = [
  'accept',
  'accept-encoding',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-unmodified-since',
  'traceparent',
  'tracestate',
  ...Object.values(documentConditionNames).map((name) => name.toLowerCase()),
];
const refused: ReadonlySet<string> = new Set([...credentialsAndFraming, ...hopByHop, ...setByPortico]);

/** Describes what is wrong with the name of a static header, or returns undefined. */
export const headerNameProblem = (name: string): string | undefined => {
  if (!fieldName.test(name)) return 'must be a header name (RFC 9110, section 5.1)';
  return refused.has(name.toLowerCase())
    ? 'must not be authorization, a hop-by-hop or framing header, or a header that Portico sets itself'
    : undefined;
};

/** Describes what is wrong with the value of a static header, without the value, or returns undefined. */
export const headerValueProblem = (value: string): string | undefined =>
  fieldValue.test(value) ? undefined : 'must be printable ASCII, without spaces at its ends';

/** Checks headers that are sent with each request to a service. Throws a TypeError without any value. */
export const staticHeaders = (headers: Readonly<Record<string, string>>): HeaderFields => {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const lowerCase = name.toLowerCase();
    const problem =
      headerNameProblem(name) ??
      (fields.has(lowerCase) ? 'must not be given twice' : undefined) ??
      headerValueProblem(value);
    if (problem !== undefined) throw new TypeError(`The header ${JSON.stringify(name)} ${problem}.`);
    fields.set(lowerCase, value);
  }
  return Object.fromEntries(fields);
};
