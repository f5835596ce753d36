import { Router } from '@koa/router';
import type { UseCases } from '@portico/core';
import { jsonBody } from '../request/json-body.ts';
import type { MemberState } from './member-routes.ts';
import { sendFailure } from '../response/problem.ts';
import { reply, sendJson } from '../response/reply.ts';

export const claimsRoutes = (use: Pick<UseCases, 'listClaims' | 'getClaim' | 'submitClaim'>, maxRequestBytes: number) =>
  new Router<MemberState>({ sensitive: true, strict: true })
    .get('/me/claims', async (ctx) => reply(ctx, await use.listClaims(ctx.state.member, ctx.querystring)))
    .post('/me/claims', jsonBody(maxRequestBytes, 'application/json'), async (ctx) => {
      const { member, body } = ctx.state;
      const submitted = await use.submitClaim(member, body, ctx.headers['idempotency-key'] as string | undefined);
      if (submitted.isErr()) return sendFailure(ctx, submitted.error);
      const { outcome, claim, locator } = submitted.value;
      if (locator !== undefined) ctx.set('Location', `/me/claims/${locator}`);
      return sendJson(ctx, claim, outcome === 'accepted' ? 202 : 201);
    })
    .get('/me/claims/:locator', async (ctx) =>
      reply(ctx, await use.getClaim(ctx.state.member, ctx.params['locator'] ?? '')),
    );
