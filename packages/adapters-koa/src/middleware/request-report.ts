import type { RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';

/** One answer, once it is out or cut off: for a line in the log, and for metrics. Nothing in it is private. */
export interface AnswerReport {
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

/** Symbols, because an app that our routers are mounted in has names of its own in `ctx.state`. */
const routeKey = Symbol('route');
const authenticatedKey = Symbol('authenticatedAt');

type Noted = Context & { [routeKey]?: string; [authenticatedKey]?: number };

/** As nginx logs it; no answer has it. */
const clientClosedRequest = 499;

/** Reports every answer of the app that it stands first in. */
export const reporting =
  (report: (answer: AnswerReport) => void): Middleware =>
  async (ctx, next) => {
    const startedAt = performance.now();
    let answeredAt: number | undefined;
    ctx.res.once('close', () => {
      const closedAt = performance.now();
      const authenticatedAt = (ctx as Noted)[authenticatedKey];
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

/** As `mount` and `pages` note it where they find a route without @koa/router, or as that found it. */
export const routeOf = (ctx: Context): string | undefined => {
  const { matched = [] } = ctx as unknown as Pick<RouterContext, 'matched'>;
  const layer = matched.find(({ methods }) => methods.includes(ctx.method));
  return (ctx as Noted)[routeKey] ?? layer?.path.toString();
};

export const noteRoute = (ctx: Context, template: string): void => {
  (ctx as Noted)[routeKey] = template;
};

export const noteAuthenticated = (ctx: Context): void => {
  (ctx as Noted)[authenticatedKey] = performance.now();
};

/** Of a request that never became one: the parser refused it, or it did not come in time. */
export const reportRefusal =
  (report: (answer: AnswerReport) => void) =>
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
