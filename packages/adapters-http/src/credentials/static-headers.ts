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

/** Describes what is wrong with static headers, by name. No problem contains a value. */
export const headerProblems = (
  headers: Readonly<Record<string, string>>,
): readonly (readonly [name: string, problem: string])[] => {
  const names = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const isRepeated = names.has(name.toLowerCase());
    names.add(name.toLowerCase());
    const problem = problemOf(name, value, isRepeated);
    return problem === undefined ? [] : [[name, problem] as const];
  });
};

const problemOf = (name: string, value: string, isRepeated: boolean): string | undefined => {
  if (!fieldName.test(name)) return 'must be a header name (RFC 9110, section 5.1)';
  if (refused.has(name.toLowerCase()))
    return 'must not be authorization, a hop-by-hop or framing header, or a header that Portico sets itself';
  if (isRepeated) return 'must not be given twice';
  return fieldValue.test(value) ? undefined : 'must be printable ASCII, without spaces at its ends';
};

/** Checks headers that are sent with each request to a service. Throws a TypeError without any value. */
export const staticHeaders = (headers: Readonly<Record<string, string>>): HeaderFields => {
  const [broken] = headerProblems(headers);
  if (broken) throw new TypeError(`The header ${JSON.stringify(broken[0])} ${broken[1]}.`);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
};
