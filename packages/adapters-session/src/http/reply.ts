import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AnyProblem, type Failure, problemOf, problemText } from '@portico/core';

const send = (request: IncomingMessage, response: ServerResponse, status: number, type: string, body: string): void => {
  response.statusCode = status;
  // The same as in responses of the member routes, because some of these responses replace them.
  response.setHeader('Cache-Control', 'private, no-store');
  response.appendHeader('Vary', 'Authorization');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  if (body !== '') response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? '' : body);
};

export const sendJson = (request: IncomingMessage, response: ServerResponse, value: object, status = 200): void =>
  send(request, response, status, 'application/json', JSON.stringify(value));

export const sendEmpty = (request: IncomingMessage, response: ServerResponse, status: number): void =>
  send(request, response, status, '', '');

/** Redirects with GET (RFC 9110, section 15.4.4). */
export const redirect = (request: IncomingMessage, response: ServerResponse, location: string): void => {
  response.setHeader('Location', location);
  sendEmpty(request, response, 303);
};

/** Why a request was refused, without what only the client should read. */
export interface SentProblem {
  readonly code: string;
  readonly service: string | undefined;
  readonly reason: string | undefined;
}

/** The problems that were sent, as long as their responses are in use. */
const sent = new WeakMap<ServerResponse, SentProblem>();

/**
 * Returns why the sessions responded with problem details instead of passing the request on, for a log. It has no private
 * data. Undefined for any other response.
 */
export const sentProblem = (response: ServerResponse): SentProblem | undefined => sent.get(response);

/** Sends problem details (RFC 9457), with the request id that an outer program has set. */
export const sendProblem = (request: IncomingMessage, response: ServerResponse, problem: AnyProblem): void => {
  const { code, service, reason } = problem;
  sent.set(response, { code, service, reason });
  const known = response.getHeader('X-Request-Id');
  const requestId = typeof known === 'string' ? known : randomUUID();
  response.setHeader('X-Request-Id', requestId);
  const { status, text } = problemText(problem, requestId);
  send(request, response, status, 'application/problem+json', text);
};

/** Sends the failure of a store. A store can only be unavailable: any other failure is reported as an internal error. */
export const sendFailure = (request: IncomingMessage, response: ServerResponse, failure: Failure): void => {
  if (failure.kind === 'overloaded') response.setHeader('Retry-After', String(failure.retryAfterSeconds));
  const isOfStore = failure.kind === 'overloaded' || failure.kind === 'upstream';
  sendProblem(request, response, problemOf(isOfStore ? failure : { kind: 'unexpected', cause: undefined }));
};
