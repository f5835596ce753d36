import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import type { MemberState } from './member-routes.ts';
import { reply } from '../response/reply.ts';

export const eligibilityRoutes = (use: Pick<UseCases, 'getCoverage' | 'getAccumulators'>) =>
  new Router<MemberState>({ sensitive: true, strict: true })
    .get('/me/coverage', async (ctx) => reply(ctx, await use.getCoverage(ctx.state.member)))
    .get('/me/accumulators', async (ctx) => reply(ctx, await use.getAccumulators(ctx.state.member)));
