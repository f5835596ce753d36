import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { respond, query, write, type ServiceState } from '../service.ts';

export const notificationsService = (use: UseCases) =>
  new Router<ServiceState>()
    .get('/preferences', async (ctx) => respond(ctx, await use.getPreferences(ctx.state.member)))
    .get('/preferences/:partyLocator', async (ctx) => respond(ctx, await use.getPreferences(ctx.state.member)))
    .put('/preferences/:partyLocator', (ctx) =>
      write(ctx, (preferences, ifMatch) => use.putPreferences(ctx.state.member, preferences, ifMatch)),
    )
    .get('/notifications/list', async (ctx) => respond(ctx, await use.listNotifications(ctx.state.member, query(ctx))))
    .get('/log/list', async (ctx) => respond(ctx, await use.readNotificationLog(ctx.state.member, query(ctx))));
