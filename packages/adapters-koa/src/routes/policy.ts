import { policyOperations } from '../openapi/operations/policy.openapi.ts';
import { policySchemas } from '../openapi/schemas/policy.schemas.ts';
import { reply, replyWithEtag } from '../response/reply.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const policyRoutes: MemberRoutes = {
  service: 'policy',
  schemas: policySchemas,
  routes: [
    {
      method: 'GET',
      path: '/me/profile',
      operation: policyOperations.getProfile,
      handle:
        ({ getProfile }) =>
        async (ctx) =>
          replyWithEtag(ctx, await getProfile(ctx.state.member)),
    },
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
