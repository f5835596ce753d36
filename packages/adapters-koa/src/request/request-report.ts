import { METHODS } from 'node:http';
import type { RouterContext } from '@koa/router';
import type { TokenRefusal } from '@portico/core';
import type Koa from 'koa';
import type { Context, Middleware } from 'koa';
import { isSent } from './disconnect-signal.ts';

/** Why a request failed. More than the client receives, but still without private data. */
export interface ReportedProblem {
  /** The code of the problem details, or of the NACK. */
  readonly code: string;
  readonly service?: string | undefined;
  /** Why the service failed. */
  readonly reason?: string | undefined;
  /** The HTTP status of the service, if that is the reason. Not sent to the client. */
  readonly upstreamStatus?: number | undefined;
  /** Why the access token was refused. Not sent to the client. */
  readonly refusal?: TokenRefusal | undefined;
}

/** A finished or interrupted response, for logs and metrics. Contains no private data. */
export interface RequestReport {
  readonly requestId: string;
  /** `_OTHER` if Node does not know the method: over HTTP/2, it is any text of the client. */
  readonly method: string;
  /** The route's template, such as `/me/claims/:locator`, never the requested path; `none` if no route matched. */
  readonly route: string;
  /**
   * The HTTP status. Without a response: 499 if the client disconnected, 502 if the content of a document failed before its
   * first byte.
   */
  readonly status: number;
  /** `cut`: the connection closed before the response was complete. */
  readonly outcome: 'sent' | 'cut';
  /** Milliseconds from the request header to the last byte of the response. */
  readonly durationMs: number;
  /** Duration of each stage: token verification, use case including its downstream call, and sending. */
  readonly stages: {
    readonly authenticationMs?: number;
    readonly useCaseMs: number;
    readonly sendingMs: number;
  };
  /** Set if the response is an error. */
  readonly problem?: ReportedProblem;
}

/** Set by `requestReporting`. Without it, as in another Koa app, nothing is written to the context. */
interface Recorded {
  requestRecord?: { authenticatedAt?: number; problem?: ReportedProblem; isContentBroken?: boolean };
}

/** Records the time at which the token was verified or refused. */
export const recordAuthentication = (ctx: Context): void => {
  const record = (ctx as Context & Recorded).requestRecord;
  if (record) record.authenticatedAt = performance.now();
};

/** Records why the request failed. */
export const recordProblem = (ctx: Context, problem: ReportedProblem): void => {
  const record = (ctx as Context & Recorded).requestRecord;
  if (record) record.problem = problem;
};

/** Records that the content of the response failed, and not the connection of the client. */
export const recordBrokenContent = (ctx: Context): void => {
  const record = (ctx as Context & Recorded).requestRecord;
  if (record) record.isContentBroken = true;
};

type OnResponse = (report: RequestReport) => void;

/** Passes an exception of the callback to the app: its callers are events of connections, where it would end the process. */
export const withErrorEvent =
  (app: Koa, onResponse: OnResponse): OnResponse =>
  (report) => {
    try {
      onResponse(report);
    } catch (error) {
      app.emit('error', error);
    }
  };

/** The status that nginx logs when a client disconnects; it is never sent. */
const clientClosedRequest = 499;

const badGateway = 502;

/** Reports every response of the app. Must be the first middleware. */
export const requestReporting =
  (onResponse: OnResponse): Middleware =>
  async (ctx, next) => {
    const startedAt = performance.now();
    let respondedAt: number | undefined;
    const record: NonNullable<Recorded['requestRecord']> = {};
    (ctx as Context & Recorded).requestRecord = record;
    ctx.res.once('close', () => {
      const closedAt = performance.now();
      const { authenticatedAt, problem, isContentBroken } = record;
      const unsentStatus = isContentBroken ? badGateway : clientClosedRequest;
      onResponse({
        requestId: ctx.state['requestId'] as string,
        method: methodOf(ctx),
        route: routeOf(ctx) ?? 'none',
        status: ctx.res.headersSent ? ctx.res.statusCode : unsentStatus,
        outcome: isSent(ctx.res) ? 'sent' : 'cut',
        durationMs: closedAt - startedAt,
        stages: {
          ...(authenticatedAt !== undefined && { authenticationMs: authenticatedAt - startedAt }),
          useCaseMs: (respondedAt ?? closedAt) - (authenticatedAt ?? startedAt),
          sendingMs: closedAt - (respondedAt ?? closedAt),
        },
        ...(problem && { problem }),
      });
    });
    await next();
    respondedAt = performance.now();
  };

const knownMethods: ReadonlySet<string> = new Set(METHODS);

/** Returns the method, or `_OTHER`, as in the semantic conventions of OpenTelemetry. */
export const methodOf = ({ req: { method = '' } }: Context): string => (knownMethods.has(method) ? method : '_OTHER');

/** The property in which @koa/router stores the template of the matched route. */
const routeKey = '_matchedRoute' satisfies keyof RouterContext;

type Routed = Pick<RouterContext, typeof routeKey>;

/** Returns the template of the matched route, such as `/me/claims/:locator`. */
export const routeOf = (ctx: Context): string | undefined => {
  const route = (ctx as unknown as Routed)[routeKey];
  return route === undefined ? undefined : String(route);
};

/** Records the template of a route that was matched without @koa/router. */
export const recordRoute = (ctx: Context, template: string): void => {
  (ctx as unknown as Routed)[routeKey] = template;
};

/** Reports a request that was refused before it reached the app: malformed or not received in time. */
export const reportRefusal =
  (onResponse: OnResponse) =>
  (status: number, requestId: string): void =>
    onResponse({
      requestId,
      method: '',
      route: 'none',
      status,
      outcome: 'sent',
      durationMs: 0,
      stages: { useCaseMs: 0, sendingMs: 0 },
    });
