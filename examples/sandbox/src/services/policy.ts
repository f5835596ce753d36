import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { answer, body, type ServiceState } from '../service.ts';

export const policyService = (use: UseCases) =>
  new Router<ServiceState>()
    .get('/parties/:partyLocator', async (ctx) => answer(ctx, await use.getProfile(ctx.state.member)))
    .patch('/parties/:partyLocator', async (ctx) =>
      answer(ctx, await use.patchProfile(ctx.state.member, await body(ctx))),
    );
