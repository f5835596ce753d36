import type { Context, Middleware } from 'koa';

/** One answer, once it is out or cut off: for a line in the log, and for metrics. Nothing in it is private. */
export interface AnswerReport {
  readonly requestId: string;
  readonly method: string;
  /** The route's template, such as `/me/claims/:locator`, never the path asked for; `none` where no route was found. */
  readonly route: string;
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

/** Reports every answer of the app that it stands first in. */
export const reporting =
  (report: (answer: AnswerReport) => void): Middleware =>
  async (ctx, next) => {
    const startedAt = performance.now();
    let answeredAt: number | undefined;
    ctx.res.once('close', () => {
      const closedAt = performance.now();
      const authenticatedAt = ctx.state['authenticatedAt'] as number | undefined;
      report({
        requestId: ctx.state['requestId'] as string,
        method: ctx.req.method ?? '',
        route: routeOf(ctx) ?? 'none',
        status: ctx.res.statusCode,
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

/** Where @koa/router notes it, and `mount` and `pages` where they find a route without it. */
const matchedRoute = '_matchedRoute';

type Routed = Context & { [matchedRoute]?: string };

const routeOf = (ctx: Context): string | undefined => (ctx as Routed)[matchedRoute];

export const noteRoute = (ctx: Context, template: string): void => {
  (ctx as Routed)[matchedRoute] = template;
};
