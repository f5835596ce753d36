import type { ListedLeg } from '@portico/core';
import { healthOperations } from '../openapi/operations/health.openapi.ts';
import { healthSchemas } from '../openapi/schemas/health.schemas.ts';
import { sendFailure } from '../response/problem.ts';
import { sendValue } from '../response/reply.ts';
import type { CallbackRoutes } from '../routing/route.ts';

/** The health and the legs of the search API. */
export const healthRoutes: CallbackRoutes = {
  schemas: healthSchemas,
  routes: [
    {
      method: 'GET',
      path: '/health',
      operation: healthOperations.getHealth,
      isHealthCheck: true,
      handle:
        ({ searchStatus }, { version = 'unknown' }) =>
        (ctx) => {
          ctx.set('Cache-Control', 'no-store');
          const { status, ...counts } = searchStatus();
          sendValue(ctx, { status, version, uptime_s: Math.floor(process.uptime()), ...counts }, 200);
        },
    },
    {
      method: 'GET',
      path: '/api/legs',
      operation: healthOperations.listLegs,
      handle:
        ({ listLegs }) =>
        async (ctx) => {
          ctx.set('Cache-Control', 'no-store');
          const legs = await listLegs();
          legs.match(
            (legs) => sendValue(ctx, { legs: legs.map(publicLeg) }, 200),
            (failure) => sendFailure(ctx, failure),
          );
        },
    },
  ],
};

/** Returns the public fields of a leg, as shown by `/api/legs`, without secrets. */
export const publicLeg = (leg: ListedLeg) => ({
  id: leg.id,
  label: leg.label,
  domain: leg.domain,
  version: leg.version,
  city: leg.city,
  category_code: leg.categoryCode,
  bap_id: leg.bapId,
  bap_uri: publicUrl(leg.bapUri),
  gateway_url: publicUrl(leg.gatewayUrl),
  gateway_path: withoutQuery(leg.gatewayPath),
  ttl: leg.ttl,
});

/** Removes user, password, query and fragment, which may contain secrets. Parses, because `http:user:password@host` is a URL too. */
const publicUrl = (configured: string): string => {
  const url = URL.parse(configured);
  if (!url || (url.username === '' && url.password === '')) return withoutQuery(configured);
  [url.username, url.password] = ['', ''];
  return withoutQuery(url.href);
};

const withoutQuery = (configured: string): string => configured.replace(/[?#].*$/s, '');
