import type { Context, Middleware } from 'koa';
import { noteRoute } from '../middleware/request-report.ts';
import type { ServerState } from '../server/draining.ts';

/**
 * `GET /livez`: the process answers. `GET /readyz`: it should be sent requests; 503 and the reasons while it should not,
 * because it is on its way out or `notReady` has one. The words are our own and hold nothing private.
 */
export const probes =
  (state: ServerState, notReady: () => Promise<readonly string[]>): Middleware =>
  (ctx, next) =>
    probePaths.has(ctx.path) && (ctx.method === 'GET' || ctx.method === 'HEAD') ? answer(ctx, state, notReady) : next();

const answer = async (ctx: Context, state: ServerState, notReady: () => Promise<readonly string[]>): Promise<void> => {
  noteRoute(ctx, ctx.path);
  if (ctx.path === '/livez') return say(ctx, 200, { status: 'alive' });
  const reasons = state.phase === 'serving' ? await notReady() : ['draining'];
  return reasons.length === 0 ? say(ctx, 200, { status: 'ready' }) : say(ctx, 503, { status: 'not-ready', reasons });
};

const probePaths = new Set(['/livez', '/readyz']);

const say = (ctx: Context, status: number, body: object): void => {
  ctx.set('Cache-Control', 'no-store');
  ctx.status = status;
  ctx.body = body;
};
