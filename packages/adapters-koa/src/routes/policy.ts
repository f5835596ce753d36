import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { jsonBody } from '../request/json-body.ts';
import type { MemberState } from './member-routes.ts';
import { reply, replyWithEtag } from '../response/reply.ts';

export const policyRoutes = (use: Pick<UseCases, 'getProfile' | 'patchProfile'>, maxRequestBytes: number) =>
  new Router<MemberState>({ sensitive: true, strict: true })
    .get('/me/profile', async (ctx) => replyWithEtag(ctx, await use.getProfile(ctx.state.member)))
    .patch('/me/profile', jsonBody(maxRequestBytes, 'application/json', 'application/merge-patch+json'), async (ctx) =>
      reply(
        ctx,
        await use.patchProfile(ctx.state.member, ctx.state.body, ctx.state.mediaType, ctx.headers['if-match']),
      ),
    );
