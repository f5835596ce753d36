import type { RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';

/** One answer, once it is out or cut off: for a line in the log, and for metrics. Nothing in it is private. */
export interface RequestReport {
  readonly requestId: string;
  readonly method: string;
  /** The route's template, such as `/me/claims/:locator`, never the path asked for; `none` where no route was found. */
  readonly route: string;
  /** 499 where the client left before there was one. */
  readonly status: number;
  /** `cut`: the connection closed before everything was sent. */
  readonly outcome: 'sent' | 'cut';
  /** From the request's head to the answer's last byte, in milliseconds. */
  readonly durationMs: number;
  /** Where the time went: the token's verification, then the use case with its downstream, then the sending. */
  readonly stages: {
    readonly authenticationMs?: number;
    readonly useCaseMs: number;
    readonly sendingMs: number;
  };
}

/** Set by `reporting`: without it, as in a foreign app, nothing is written to the context. */
interface Timed {
  requestTiming?: { authenticatedAt?: number };
}

/** The token has been verified, or refused. */
export const noteAuthenticated = (ctx: Context): void => {
  const timing = (ctx as Context & Timed).requestTiming;
  if (timing) timing.authenticatedAt = performance.now();
};

/** As nginx logs it; no answer has it. */
const clientClosedRequest = 499;

/** Reports every answer of the app that it stands first in. */
export const reporting =
  (report: (answer: RequestReport) => void): Middleware =>
  async (ctx, next) => {
    const startedAt = performance.now();
    let answeredAt: number | undefined;
    const timing: NonNullable<Timed['requestTiming']> = {};
    (ctx as Context & Timed).requestTiming = timing;
    ctx.res.once('close', () => {
      const closedAt = performance.now();
      const { authenticatedAt } = timing;
      report({
        requestId: ctx.state['requestId'] as string,
        method: ctx.req.method ?? '',
        route: routeOf(ctx) ?? 'none',
        status: ctx.res.headersSent ? ctx.res.statusCode : clientClosedRequest,
        outcome: ctx.res.writableFinished ? 'sent' : 'cut',
        durationMs: closedAt - startedAt,
        stages: {
          ...(authenticatedAt !== undefined && { authenticationMs: authenticatedAt - startedAt }),
          useCaseMs: (answeredAt ?? closedAt) - (authenticatedAt ?? startedAt),
          sendingMs: closedAt - (answeredAt ?? closedAt),
        },
      });
    });
    await next();
    answeredAt = performance.now();
  };

/** Where @koa/router notes the template of the route that it found. */
const routeKey = '_matchedRoute' satisfies keyof RouterContext;

type Routed = Pick<RouterContext, typeof routeKey>;

/** The route's template, such as `/me/claims/:locator`. */
export const routeOf = (ctx: Context): string | undefined => {
  const route = (ctx as unknown as Routed)[routeKey];
  return route === undefined ? undefined : String(route);
};

/** Notes the template of a route that was found without @koa/router. */
export const noteRoute = (ctx: Context, template: string): void => {
  (ctx as unknown as Routed)[routeKey] = template;
};

/** Of a request that never became one: the parser refused it, or it did not come in time. */
export const reportRefusal =
  (report: (answer: RequestReport) => void) =>
  (status: number, requestId: string): void =>
    report({
      requestId,
      method: '',
      route: 'none',
      status,
      outcome: 'sent',
      durationMs: 0,
      stages: { useCaseMs: 0, sendingMs: 0 },
    });
