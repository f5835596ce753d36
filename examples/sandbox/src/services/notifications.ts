import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { answer, body, query, type ServiceState } from '../service.ts';

export const notificationsService = (use: UseCases) =>
  new Router<ServiceState>()
    .get('/preferences', async (ctx) => answer(ctx, await use.getPreferences(ctx.state.member)))
    .get('/preferences/:partyLocator', async (ctx) => answer(ctx, await use.getPreferences(ctx.state.member)))
    .put('/preferences/:partyLocator', async (ctx) =>
      answer(ctx, await use.putPreferences(ctx.state.member, await body(ctx))),
    )
    .get('/notifications/list', async (ctx) => answer(ctx, await use.listNotifications(ctx.state.member, query(ctx))))
    .get('/log/list', async (ctx) => answer(ctx, await use.readNotificationLog(ctx.state.member, query(ctx))));
