import { services, upstreamReasons } from '@portico/core';
import { type Code, statusOf, titleOf } from '../response/problem.ts';
import type { Reference, Response, Schema } from './format.ts';
import { always, notStored, sent, underMe } from './headers.ts';

const codes = Object.keys(statusOf) as readonly Code[];

/** Closed, because this describes the very server that serves it; clients pass over what they do not know (RFC 9457, 3.2). */
export const problemSchemas = {
  Problem: {
    type: 'object',
    description: 'What went wrong (RFC 9457). Nothing in it is private, and nothing of it is a downstream’s.',
    properties: {
      type: { type: 'string', enum: codes.map((code) => `urn:portico:problem:${code}`) },
      title: { type: 'string', enum: codes.map((code) => titleOf[code]) },
      status: { type: 'integer', enum: [...new Set(Object.values(statusOf))] },
      detail: { type: 'string', description: 'A sentence for people.' },
      code: { type: 'string', enum: codes, description: 'What programs go by.' },
      requestId: { type: 'string', description: 'As in the header `X-Request-Id`, and in the server’s log.' },
      service: { type: 'string', enum: services, description: 'Which downstream it was.' },
      reason: {
        type: 'string',
        enum: upstreamReasons,
        description: 'What was wrong with the downstream’s answer.',
      },
      errors: {
        type: 'array',
        description: 'What is wrong with the request, one by one.',
        items: { $ref: '#/components/schemas/InputError' },
      },
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
    additionalProperties: false,
  },
  InputError: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'A JSON Pointer (RFC 6901) into the body, or `/` and a parameter’s name.' },
      message: { type: 'string' },
    },
    required: ['path', 'message'],
    additionalProperties: false,
  },
} as const satisfies Readonly<Record<string, Schema>>;

const meaning: Readonly<Record<Code, string>> = {
  'invalid-request': 'The request itself is wrong; `errors` says where.',
  unauthenticated: 'There is no access token, or none that is good.',
  'not-found': 'The downstream service has no such thing of this member’s.',
  'preferences-not-set': 'The member has never set preferences.',
  'no-such-route': 'There is no such route.',
  'method-not-allowed': 'The route knows other methods; `Allow` lists them.',
  'request-timeout': 'The request did not come to its end in time; the connection is closed.',
  'precondition-failed':
    'It was changed since it was read; the condition in `If-Match` does not hold. Nothing was written.',
  'too-large': 'The body is larger than the server takes.',
  'unsupported-media-type': 'The body is not of a media type that the route takes, not in UTF-8, or compressed.',
  'rate-limited': 'The member or the address asks too often; `Retry-After` says when to come back.',
  'header-too-large': 'The header fields are too large; the connection is closed.',
  internal: 'A bug of ours; the server’s log knows more under the request’s id.',
  'upstream-failure': 'The downstream service failed; `service` and `reason` say how.',
  overloaded: 'There is too much to do, or the server is on its way out; come back after `Retry-After`.',
};

const headersOf: { readonly [Each in Code]?: Response['headers'] } = {
  unauthenticated: sent('WWW-Authenticate'),
  'method-not-allowed': sent('Allow'),
  'unsupported-media-type': sent('Accept-Patch'),
  'rate-limited': { ...notStored, ...sent('Retry-After') },
  overloaded: sent('Retry-After'),
};

const problem = (code: Code, common: Response['headers']): Response => ({
  description: meaning[code],
  headers: { ...common, ...headersOf[code], ...(common === underMe && underMe) },
  content: {
    'application/problem+json': {
      schema: {
        $ref: '#/components/schemas/Problem',
        type: 'object',
        properties: {
          type: { const: `urn:portico:problem:${code}` },
          title: { const: titleOf[code] },
          status: { const: statusOf[code] },
          code: { const: code },
          ...(code === 'precondition-failed' && { service: {} }),
          ...(code === 'upstream-failure' && { service: {}, reason: {} }),
        },
        ...(code === 'precondition-failed' && { required: ['service'] }),
        ...(code === 'upstream-failure' && { required: ['service', 'reason'] }),
      },
    },
  },
});

/** One answer for each code: anywhere, and under `/me`, where two headers more are certain. */
export const problemResponses = (prefix: '' | 'me.'): Readonly<Record<string, Response>> =>
  Object.fromEntries(
    codes.map((code) => [
      `${prefix}${code}`,
      problem(code, prefix === 'me.' ? underMe : { ...always, ...sent('Cache-Control') }),
    ]),
  );

const byStatus = (prefix: string, which: readonly Code[]): Readonly<Record<number, Reference>> =>
  Object.fromEntries(which.map((code) => [statusOf[code], { $ref: `#/components/responses/${prefix}${code}` }]));

/** The answers to what may go wrong, by their status. */
export const problems = (...which: readonly Code[]) => byStatus('', which);

/** Under `/me` a downstream may fail in every way, and the body that comes in may be wrong. */
export const memberProblems = (
  notFound: 'not-found' | 'preferences-not-set' = 'not-found',
): Readonly<Record<number, Reference>> =>
  byStatus('me.', [
    'invalid-request',
    'unauthenticated',
    notFound,
    'rate-limited',
    'internal',
    'upstream-failure',
    'overloaded',
  ]);

export const conditionProblems = byStatus('me.', ['precondition-failed']);

export const bodyProblems = byStatus('me.', ['too-large', 'unsupported-media-type']);
