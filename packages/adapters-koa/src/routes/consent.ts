import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { jsonBody } from '../request/json-body.ts';
import type { MemberState } from './member-routes.ts';
import { reply, replyWithEtag } from '../response/reply.ts';

export const consentRoutes = (use: Pick<UseCases, 'getConsent' | 'putConsent'>, maxRequestBytes: number) =>
  new Router<MemberState>({ sensitive: true, strict: true })
    .get('/me/consent', async (ctx) => replyWithEtag(ctx, await use.getConsent(ctx.state.member)))
    .put('/me/consent', jsonBody(maxRequestBytes, 'application/json'), async (ctx) =>
      reply(ctx, await use.putConsent(ctx.state.member, ctx.state.body, ctx.headers['if-match'])),
    );
