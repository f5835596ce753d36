import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { answer, body, query, type ServiceState } from '../service.ts';

export const claimsService = (use: UseCases) =>
  new Router<ServiceState>()
    .get('/members/:partyLocator/claims', async (ctx) =>
      answer(ctx, await use.listClaims(ctx.state.member, query(ctx))),
    )
    .post('/members/:partyLocator/claims', async (ctx) => {
      const submitted = await use.submitClaim(
        ctx.state.member,
        await body(ctx),
        ctx.get('Idempotency-Key') || undefined,
      );
      answer(
        ctx,
        submitted.map(({ claim }) => claim),
        201,
      );
    })
    .get('/members/:partyLocator/claims/:locator', async (ctx) =>
      answer(ctx, await use.getClaim(ctx.state.member, ctx.params['locator'] ?? '')),
    );
