import { policyOperations } from '../openapi/operations/policy.openapi.ts';
import { policySchemas } from '../openapi/schemas/policy.schemas.ts';
import { reply } from '../response/reply.ts';
import { readRoute } from '../routing/read-route.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const policyRoutes: MemberRoutes = {
  service: 'policy',
  schemas: policySchemas,
  routes: [
    readRoute('/me/profile', policyOperations.getProfile, ({ getProfile }) => getProfile, { sendsEtag: true }),
    {
      method: 'PATCH',
      path: '/me/profile',
      operation: policyOperations.patchProfile,
      body: ['application/json', 'application/merge-patch+json'],
      handle:
        ({ patchProfile }) =>
        async (ctx) => {
          const { member, body, mediaType } = ctx.state;
          reply(ctx, await patchProfile(member, body, mediaType, ctx.headers['if-match']));
        },
    },
  ],
};
