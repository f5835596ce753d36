import { eligibilityOperations } from '../openapi/operations/eligibility.openapi.ts';
import { eligibilitySchemas } from '../openapi/schemas/eligibility.schemas.ts';
import { readRoute } from '../routing/read-route.ts';
import type { MemberRoutes } from '../routing/route.ts';

export const eligibilityRoutes: MemberRoutes = {
  service: 'eligibility',
  schemas: eligibilitySchemas,
  routes: [
    readRoute('/me/coverage', eligibilityOperations.getCoverage, ({ getCoverage }) => getCoverage),
    readRoute('/me/accumulators', eligibilityOperations.getAccumulators, ({ getAccumulators }) => getAccumulators),
  ],
};
