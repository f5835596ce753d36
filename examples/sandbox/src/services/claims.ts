import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { respond, query, write, type ServiceState } from '../service.ts';

export const claimsService = (use: UseCases) =>
  new Router<ServiceState>()
    .get('/members/:partyLocator/claims', async (ctx) =>
      respond(ctx, await use.listClaims(ctx.state.member, query(ctx))),
    )
    .post('/members/:partyLocator/claims', (ctx) =>
      write(
        ctx,
        (draft) =>
          use.submitClaim(ctx.state.member, draft, ctx.get('Idempotency-Key') || undefined).map(({ claim }) => claim),
        { status: 201 },
      ),
    )
    .get('/members/:partyLocator/claims/:locator', async (ctx) =>
      respond(ctx, await use.getClaim(ctx.state.member, ctx.params['locator'] ?? '')),
    );
