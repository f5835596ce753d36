import { httpModule } from '@portico/adapters-http/inversify';
import { koaModule } from '@portico/adapters-koa/inversify';
import type { ServerSettings } from '@portico/adapters-koa';
import { coreModule } from '@portico/core/inversify';
import { Container } from 'inversify';
import type { Settings } from './settings/schema.ts';

/** The composition root: picks the adapters that the settings ask for. */
export const compose = (
  { identity, downstreams, limits }: Settings,
  onError?: ServerSettings['onError'],
): Container => {
  const container = new Container();
  container.load(koaModule({ maxRequestBytes: limits.maxRequestBytes, ...(onError && { onError }) }));
  if (identity && downstreams) {
    const { jwksUrl, tokenUrl: _unused, locatorClaim, ...rest } = identity;
    const { maxResponseBytes } = limits;
    container.load(
      coreModule({ locatorClaim }),
      httpModule({
        identity: { ...rest, ...(jwksUrl !== null && { jwksUrl }) },
        downstreams: {
          eligibility: { ...downstreams.eligibility, maxResponseBytes },
          claims: { ...downstreams.claims, maxResponseBytes },
          documents: { ...downstreams.documents, maxResponseBytes },
          policy: { ...downstreams.policy, maxResponseBytes },
          notifications: { ...downstreams.notifications, maxResponseBytes },
          consent: { ...downstreams.consent, maxResponseBytes },
        },
      }),
    );
  }
  return container;
};
