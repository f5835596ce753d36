import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { respond, write, type ServiceState } from '../service.ts';

export const consentService = (use: UseCases) =>
  new Router<ServiceState>()
    .get('/consent/:partyLocator', async (ctx) => respond(ctx, await use.getConsent(ctx.state.member)))
    .put('/consent/:partyLocator', (ctx) =>
      write(ctx, (state, ifMatch) => use.putConsent(ctx.state.member, state, ifMatch)),
    );
