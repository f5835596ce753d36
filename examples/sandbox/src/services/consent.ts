import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { answer, body, type ServiceState } from '../service.ts';

export const consentService = (use: UseCases) =>
  new Router<ServiceState>()
    .get('/consent/:partyLocator', async (ctx) => answer(ctx, await use.getConsent(ctx.state.member)))
    .put('/consent/:partyLocator', async (ctx) => answer(ctx, await use.putConsent(ctx.state.member, await body(ctx))));
