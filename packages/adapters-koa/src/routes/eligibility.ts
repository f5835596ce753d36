import { eligibilityOperations } from '../openapi/operations/eligibility.openapi.ts';
import { eligibilitySchemas } from '../openapi/schemas/eligibility.schemas.ts';
import { reply } from '../response/reply.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const eligibilityRoutes: MemberRoutes = {
  service: 'eligibility',
  schemas: eligibilitySchemas,
  routes: [
    {
      method: 'GET',
      path: '/me/coverage',
      operation: eligibilityOperations.getCoverage,
      handle:
        ({ getCoverage }) =>
        async (ctx) =>
          reply(ctx, await getCoverage(ctx.state.member)),
    },
    {
      method: 'GET',
      path: '/me/accumulators',
      operation: eligibilityOperations.getAccumulators,
      handle:
        ({ getAccumulators }) =>
        async (ctx) =>
          reply(ctx, await getAccumulators(ctx.state.member)),
    },
  ],
};
