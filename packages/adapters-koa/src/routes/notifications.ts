import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { jsonBody } from '../request/json-body.ts';
import type { MemberState } from './member-routes.ts';
import { reply, replyWithEtag } from '../response/reply.ts';

export const notificationsRoutes = (
  use: Pick<UseCases, 'getPreferences' | 'putPreferences' | 'listNotifications' | 'readNotificationLog'>,
  maxRequestBytes: number,
) =>
  new Router<MemberState>({ sensitive: true, strict: true })
    .get('/me/preferences', async (ctx) => replyWithEtag(ctx, await use.getPreferences(ctx.state.member)))
    .put('/me/preferences', jsonBody(maxRequestBytes, 'application/json'), async (ctx) =>
      reply(ctx, await use.putPreferences(ctx.state.member, ctx.state.body, ctx.headers['if-match'])),
    )
    .get('/me/notifications', async (ctx) => reply(ctx, await use.listNotifications(ctx.state.member, ctx.querystring)))
    .get('/me/notifications/log', async (ctx) =>
      reply(ctx, await use.readNotificationLog(ctx.state.member, ctx.querystring)),
    );
