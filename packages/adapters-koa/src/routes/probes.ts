import type { Context } from 'koa';
import { probesOperations, probesSchemas } from '../openapi/operations/probes.openapi.ts';
import { sendValue } from '../response/reply.ts';
import type { RouteGroup } from '../routing/route.ts';

export interface ProbeSettings {
  readonly isDraining: () => boolean;
  readonly notReady: () => Promise<readonly string[]>;
}

/**
 * `GET /livez`: the process is alive. `GET /readyz`: the server is ready; 503 with reasons while it shuts down or `notReady`
 * returns any. Reasons contain no private data.
 */
export const probeRoutes: RouteGroup<unknown, ProbeSettings> = {
  schemas: probesSchemas,
  routes: [
    {
      method: 'GET',
      path: '/livez',
      operation: probesOperations.getLiveness,
      isHealthCheck: true,
      handle: () => (ctx) => send(ctx, 200, { status: 'alive' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      operation: probesOperations.getReadiness,
      isHealthCheck: true,
      handle:
        (_, { isDraining, notReady }) =>
        async (ctx) => {
          const reasons = isDraining() ? ['draining'] : await notReady();
          if (reasons.length === 0) send(ctx, 200, { status: 'ready' });
          else send(ctx, 503, { status: 'not-ready', reasons });
        },
    },
  ],
};

const send = (ctx: Context, status: number, body: object): void => {
  ctx.set('Cache-Control', 'no-store');
  sendValue(ctx, body, status);
};
