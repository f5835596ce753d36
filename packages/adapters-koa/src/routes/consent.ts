import { consentOperations } from '../openapi/operations/consent.openapi.ts';
import { consentSchemas } from '../openapi/schemas/consent.schemas.ts';
import { reply, replyWithEtag } from '../response/reply.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const consentRoutes: MemberRoutes = {
  service: 'consent',
  schemas: consentSchemas,
  routes: [
    {
      method: 'GET',
      path: '/me/consent',
      operation: consentOperations.getConsent,
      handle:
        ({ getConsent }) =>
        async (ctx) =>
          replyWithEtag(ctx, await getConsent(ctx.state.member)),
    },
    {
      method: 'PUT',
      path: '/me/consent',
      operation: consentOperations.putConsent,
      body: ['application/json'],
      handle:
        ({ putConsent }) =>
        async (ctx) =>
          reply(ctx, await putConsent(ctx.state.member, ctx.state.body, ctx.headers['if-match'])),
    },
  ],
};
