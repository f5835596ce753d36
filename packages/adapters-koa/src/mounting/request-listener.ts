import { AsyncResource } from 'node:async_hooks';
import type { RequestListener } from 'node:http';
// Not the global one, so that fake timers of a test do not stop it.
import { setImmediate } from 'node:timers';
import type Koa from 'koa';
import type { Context } from 'koa';
import compose from 'koa-compose';

/**
 * The request listener of a Koa app. Unlike `app.callback()`, it does not watch the connection of each response with
 * `on-finished`, which takes several per cent of a small request. Koa only learns there that a connection was interrupted,
 * and `reportErrors` does not report that. It sends the responses of one turn of the event loop together
 * (docs/decisions/0165), except streams: Koa handles the errors of a stream only once it is sent.
 */
export const requestListener = (app: Koa): RequestListener => {
  const run = compose(app.middleware);
  let ready: ReadyResponse[] = [];
  const sendReady = (): void => {
    const responses = ready;
    ready = [];
    for (const response of responses) response.send();
  };
  const sendLater = (ctx: Context): void => {
    if (ready.push(new ReadyResponse(ctx)) === 1) setImmediate(sendReady);
  };
  return (req, res) => {
    const ctx = app.createContext(req, res);
    res.statusCode = 404;
    void run(ctx)
      .then(() => (isInMemory(ctx.body) ? sendLater(ctx) : respond(ctx)))
      .catch((error: Error) => ctx.onerror(error));
  };
};

/** A response that waits for the end of the turn. It is sent in the asynchronous context of its own request. */
class ReadyResponse extends AsyncResource {
  readonly #ctx: Context;

  constructor(ctx: Context) {
    super('PorticoResponse');
    this.#ctx = ctx;
  }

  send(): void {
    void this.runInAsyncScope(respondOrReport, undefined, this.#ctx);
  }
}

/** Asynchronous, so that it never throws: the other responses of the turn are sent even if Koa's error handler fails. */
const respondOrReport = async (ctx: Context): Promise<void> => {
  try {
    respond(ctx);
  } catch (error) {
    ctx.onerror(error as Error);
  }
};

const isInMemory = (body: unknown): body is string | Buffer => typeof body === 'string' || Buffer.isBuffer(body);

/** Sends a string or a buffer without the checks for other bodies, and everything else as Koa does. */
const respond = (ctx: Context): unknown => {
  const { body, res, writable } = ctx;
  const isWhole = isInMemory(body) && !withoutBody.has(res.statusCode) && ctx.method !== 'HEAD';
  return isWhole && writable && ctx.respond !== false ? res.end(body) : respondByKoa(ctx);
};

/** The statuses whose responses have no body (RFC 9110, section 15). */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** Koa does not export its function for this. `handleRequest` sets the status to 404 before it runs the middleware. */
const respondByKoa = (ctx: Context): unknown => {
  const { app, res } = ctx;
  const { statusCode } = res;
  return (app as unknown as KoaInternals).handleRequest(ctx, async () => {
    res.statusCode = statusCode;
  });
};

interface KoaInternals {
  handleRequest(ctx: Context, middleware: () => Promise<void>): Promise<void>;
}
