import { notificationsOperations } from '../openapi/operations/notifications.openapi.ts';
import { notificationsSchemas } from '../openapi/schemas/notifications.schemas.ts';
import { reply } from '../response/reply.ts';
import { readRoute } from '../routing/read-route.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const notificationsRoutes: MemberRoutes = {
  service: 'notifications',
  schemas: notificationsSchemas,
  routes: [
    readRoute('/me/preferences', notificationsOperations.getPreferences, ({ getPreferences }) => getPreferences, {
      sendsEtag: true,
    }),
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
    readRoute(
      '/me/notifications',
      notificationsOperations.listNotifications,
      ({ listNotifications }) => listNotifications,
    ),
    readRoute(
      '/me/notifications/log',
      notificationsOperations.readNotificationLog,
      ({ readNotificationLog }) => readNotificationLog,
    ),
  ],
};
