import { httpModule, httpSearchModule } from '@portico/adapters-http/inversify';
import { koaModule } from '@portico/adapters-koa/inversify';
import type { ServerSettings } from '@portico/adapters-koa';
import { coreModule, searchModule } from '@portico/core/inversify';
import { Container } from 'inversify';
import type { Settings } from './settings/schema.ts';

/** The composition root: picks the adapters that the settings ask for. */
export const compose = (
  { identity, downstreams, limits, search }: Settings,
  server: Pick<ServerSettings, 'onError' | 'version'> = {},
): Container => {
  const container = new Container();
  const { maxRequestBytes, maxCallbackBytes } = limits;
  container.load(koaModule({ ...server, maxRequestBytes, maxCallbackBytes }));
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
  if (search.legs) {
    const { ackTimeoutMs, timeoutMs, maxPending, personas, registryUrl } = search;
    const legs = Object.entries(search.legs);
    const signing = Object.fromEntries(legs.flatMap(([id, leg]) => (leg.signing ? [[id, leg.signing]] : [])));
    container.load(
      searchModule({
        legs: legs.map(([id, { signing: _unused, extraContext = {}, ...leg }]) => ({ id, ...leg, extraContext })),
        timeoutMs,
        maxPending,
        ...(personas && { personas }),
      }),
      httpSearchModule({
        transport: { ackTimeoutMs, signing, maxResponseBytes: maxCallbackBytes },
        ...(registryUrl !== null && { registry: { url: registryUrl } }),
      }),
    );
  }
  return container;
};
