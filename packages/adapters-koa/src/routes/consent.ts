import { consentOperations } from '../openapi/operations/consent.openapi.ts';
import { consentSchemas } from '../openapi/schemas/consent.schemas.ts';
import { reply } from '../response/reply.ts';
import { readRoute } from '../routing/read-route.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const consentRoutes: MemberRoutes = {
  service: 'consent',
  schemas: consentSchemas,
  routes: [
    readRoute('/me/consent', consentOperations.getConsent, ({ getConsent }) => getConsent, { sendsEtag: true }),
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
