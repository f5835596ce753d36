import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ClientRequest, IncomingMessage } from 'node:http';
import type { NameService } from '../service-names.ts';

/** One HTTP request that was sent, as `--verbose` shows it. It has no URL, no header but the request id, and no body. */
export interface SentRequest {
  readonly method: string;
  readonly service: string;
  /** Undefined when there was no response. */
  readonly status?: number | undefined;
  /** The code of the failure, when there was no response. */
  readonly error?: string;
  /** Until the head of the response. */
  readonly durationMs: number;
  /** `x-request-id` of the response. */
  readonly requestId?: string | undefined;
}

/**
 * What undici and `node:http` publish on their diagnostics channels. The same `request` object identifies a request on
 * all channels.
 */
interface Message {
  readonly request: { readonly method: string; readonly origin?: string | URL; readonly path: string } | ClientRequest;
  readonly response?: { readonly statusCode: number; readonly headers: unknown } | IncomingMessage;
  readonly error?: unknown;
}

/**
 * Reports every HTTP request of this process from now on, whichever adapter sends it, until the returned function is
 * called. The requests are published by undici, both the package and the one inside Node, and by `node:http`.
 */
export const watchRequests = (nameOf: NameService, report: (request: SentRequest) => void): (() => void) => {
  const startedAt = new WeakMap<object, number>();
  const finish = ({ request }: Message, outcome: Partial<SentRequest>) => {
    const start = startedAt.get(request);
    // An error after the head of the response has its line already.
    if (start === undefined || !startedAt.delete(request)) return;
    const service = nameOf(urlOf(request));
    report({ method: request.method, service, durationMs: Math.round(performance.now() - start), ...outcome });
  };
  const begin = ({ request }: Message) => void startedAt.set(request, performance.now());
  const respond = (message: Message) => finish(message, outcomeOf(message));
  const fail = (message: Message) => finish(message, { error: errorCode(message.error) });
  const listeners = {
    'undici:request:create': begin,
    'undici:request:headers': respond,
    'undici:request:error': fail,
    'http.client.request.start': begin,
    'http.client.response.finish': respond,
    'http.client.request.error': fail,
  };
  const all = Object.entries(listeners) as [string, (message: unknown) => void][];
  for (const [channel, listener] of all) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of all) unsubscribe(channel, listener);
  };
};

const urlOf = (request: Message['request']): string => {
  if (request instanceof ClientRequest)
    return `${request.protocol}//${String(request.getHeader('host'))}${request.path}`;
  // A proxy gets the whole URL (RFC 9112, section 3.2.2).
  if (/^https?:/.test(request.path)) return request.path;
  return `${String(request.origin ?? '').replace(/\/$/, '')}${request.path}`;
};

const outcomeOf = ({ response }: Message): Partial<SentRequest> => {
  const headers = response instanceof IncomingMessage ? response.rawHeaders : response?.headers;
  return { status: response?.statusCode, requestId: requestIdIn(headers) };
};

/** From a list of names and values. An id of another form could be anything, so it is not shown. */
const requestIdIn = (headers: unknown): string | undefined => {
  const list = Array.isArray(headers) ? headers.map(String) : [];
  const at = list.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'x-request-id');
  const id = at < 0 ? undefined : list[at + 1];
  return id !== undefined && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
};

const errorCode = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^\w+$/.test(code) ? code : 'failed';
};

/** One line for people. */
export const callLine = ({ method, service, status, error, durationMs, requestId }: SentRequest): string =>
  `portico: ${method} ${service}: ${status ?? error ?? 'failed'} in ${durationMs} ms, request id ${requestId ?? 'none'}\n`;

/** The same among the JSON lines of a server's log. */
export const callLogLine = (request: SentRequest): string =>
  `${JSON.stringify({ level: 'info', time: new Date().toISOString(), message: 'downstream request', ...request })}\n`;
