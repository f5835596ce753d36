import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { respond, write, type ServiceState } from '../service.ts';

export const policyService = (use: UseCases) =>
  new Router<ServiceState>()
    .get('/parties/:partyLocator', async (ctx) => respond(ctx, await use.getProfile(ctx.state.member)))
    .patch('/parties/:partyLocator', (ctx) =>
      write(ctx, (patch, ifMatch) => use.patchProfile(ctx.state.member, patch, undefined, ifMatch), {
        types: ['application/json', 'application/merge-patch+json'],
      }),
    );
