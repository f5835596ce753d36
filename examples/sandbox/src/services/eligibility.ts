import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { respond, type ServiceState } from '../service.ts';

export const eligibilityService = (use: UseCases) =>
  new Router<ServiceState>()
    .get('/members/:partyLocator/coverage', async (ctx) => respond(ctx, await use.getCoverage(ctx.state.member)))
    .get('/members/:partyLocator/accumulators', async (ctx) =>
      respond(ctx, await use.getAccumulators(ctx.state.member)),
    );
