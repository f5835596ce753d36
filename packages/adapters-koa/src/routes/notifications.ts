import { notificationsOperations } from '../openapi/operations/notifications.openapi.ts';
import { notificationsSchemas } from '../openapi/schemas/notifications.schemas.ts';
import { reply, replyWithEtag } from '../response/reply.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const notificationsRoutes: MemberRoutes = {
  service: 'notifications',
  schemas: notificationsSchemas,
  routes: [
    {
      method: 'GET',
      path: '/me/preferences',
      operation: notificationsOperations.getPreferences,
      handle:
        ({ getPreferences }) =>
        async (ctx) =>
          replyWithEtag(ctx, await getPreferences(ctx.state.member)),
    },
    {
      method: 'PUT',
      path: '/me/preferences',
      operation: notificationsOperations.putPreferences,
      body: ['application/json'],
      handle:
        ({ putPreferences }) =>
        async (ctx) =>
          reply(ctx, await putPreferences(ctx.state.member, ctx.state.body, ctx.headers['if-match'])),
    },
    {
      method: 'GET',
      path: '/me/notifications',
      operation: notificationsOperations.listNotifications,
      handle:
        ({ listNotifications }) =>
        async (ctx) =>
          reply(ctx, await listNotifications(ctx.state.member, ctx.querystring)),
    },
    {
      method: 'GET',
      path: '/me/notifications/log',
      operation: notificationsOperations.readNotificationLog,
      handle:
        ({ readNotificationLog }) =>
        async (ctx) =>
          reply(ctx, await readNotificationLog(ctx.state.member, ctx.querystring)),
    },
  ],
};
