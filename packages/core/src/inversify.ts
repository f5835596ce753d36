import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { authenticate, requestToken } from './identity/identity.ts';
import type { ProofVerifier } from './identity/dpop/proof-verifier.port.ts';
import type { ReplayGuard } from './identity/dpop/replay-guard.port.ts';
import type { Ports, SearchPorts, ServiceName } from './ports.ts';
import type { SearchSettings } from './search/search.ts';
import type { SentSearches } from './search/callbacks/sent-searches.port.ts';
import { createSearchUseCases, type SearchUseCases } from './search/search-use-cases.ts';
import { checkCollisions } from './services/declaration-problems.ts';
import type { OwnService } from './services/own-service.ts';
import type { SessionStore } from './sessions/session-store.port.ts';
import { type CoreSettings, serviceNames, serviceUseCases, type SomeUseCases, type UseCases } from './use-cases.ts';

// `as`, not an annotation: annotated, TypeScript narrows the constant to `symbol` and `bind` stops checking the type.
// Registered symbols, so that a module binds the same ports when its project has another copy of this package.
const token = <T>(name: string) => Symbol.for(`portico:${name}`) as ServiceIdentifier<T>;

/** One typed token per port, by its name. Both APIs share the clock. Rebind tokens before the first `get`. */
export const portTokens = Object.fromEntries(
  ['identity', 'clock', ...serviceNames].map((name) => [name, token(name)]),
) as { readonly [Name in keyof Ports]: ServiceIdentifier<Ports[Name]> };

/** Tokens of the ports that DPoP needs (RFC 9449). Both are optional. */
export const dpopTokens = {
  proofs: token<ProofVerifier>('proofVerifier'),
  replays: token<ReplayGuard>('replayGuard'),
};

export const searchPortTokens = {
  transport: token<SearchPorts['transport']>('searchTransport'),
  exchange: token<SearchPorts['exchange']>('callbackExchange'),
  clock: portTokens.clock,
  ids: token<SearchPorts['ids']>('ids'),
  verifier: token<NonNullable<SearchPorts['verifier']>>('callbackVerifier'),
} satisfies { readonly [Name in keyof Required<SearchPorts>]: ServiceIdentifier<NonNullable<SearchPorts[Name]>> };

/** What was sent to networks, for the verification of callbacks. Bound by the adapter that posts searches. */
export const sentSearchesToken = token<SentSearches>('sentSearches');

/** Where browser sessions are stored. Not bound when they are kept in cookies. */
export const sessionStoreToken = token<SessionStore>('sessionStore');

const useCaseNames = (service: ServiceName): readonly string[] => Object.keys(serviceUseCases[service]);

/** One typed token per use case, by its name. */
export const useCaseTokens = Object.fromEntries(
  ['authenticate', 'requestToken', ...serviceNames.flatMap(useCaseNames)].map((name) => [name, token(name)]),
) as { readonly [Name in keyof UseCases]: ServiceIdentifier<UseCases[Name]> };

/** The use cases whose ports are bound as one object, resolved from their own bindings. */
export const useCasesToken = token<SomeUseCases>('useCases');

/**
 * Binds one service of your own, created with `ownService`. Bind it once per service:
 * `bind(ownServiceToken).toConstantValue(ownService(authorizations, port))`.
 */
export const ownServiceToken = token<OwnService>('ownService');

/** Binds every use case of the member API. Bind the ports with adapter modules or with your own bindings. */
export const coreModule = (settings: CoreSettings = {}): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const { identity, clock } = portTokens;
    bind(useCaseTokens.authenticate)
      .toResolvedValue(
        (port: Ports['identity'], proofs: ProofVerifier | undefined) => authenticate(port, settings, proofs),
        [identity, { serviceIdentifier: dpopTokens.proofs, optional: true }],
      )
      .inSingletonScope();
    bind(useCaseTokens.requestToken).toResolvedValue(requestToken, [identity]).inSingletonScope();
    for (const service of serviceNames)
      for (const [name, make] of Object.entries(serviceUseCases[service]))
        bind(useCaseTokens[name as keyof UseCases] as ServiceIdentifier)
          .toDynamicValue(({ get }) => {
            const port = get<unknown>(portTokens[service]) as never;
            return make(port, { identity: get(identity), clock: get(clock) }, settings);
          })
          .inSingletonScope();
    bind(useCasesToken)
      .toDynamicValue(({ get, getAll }) => {
        const isPresent = (service: ServiceName) => get<unknown>(portTokens[service], { optional: true }) !== undefined;
        const names = ['authenticate', 'requestToken', ...serviceNames.filter(isPresent).flatMap(useCaseNames)];
        const services = getAll(ownServiceToken, { optional: true });
        checkCollisions(services.map(({ declaration }) => declaration));
        return {
          ...Object.fromEntries(names.map((name) => [name, get<unknown>(useCaseTokens[name as keyof UseCases])])),
          ...(services.length > 0 && { services }),
        } as unknown as SomeUseCases;
      })
      .inSingletonScope();
  });

/** The use cases of the search API, which share their counters. */
export const searchUseCasesToken = token<SearchUseCases>('searchUseCases');

/** Binds the search API. Bind its ports with adapter modules or with your own bindings; the verifier is optional. */
export const searchModule = (settings: SearchSettings): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const { transport, exchange, clock, ids, verifier } = searchPortTokens;
    bind(searchUseCasesToken)
      .toResolvedValue(
        (
          transport: SearchPorts['transport'],
          exchange: SearchPorts['exchange'],
          clock: SearchPorts['clock'],
          ids: SearchPorts['ids'],
          verifier: SearchPorts['verifier'],
        ) => createSearchUseCases({ transport, exchange, clock, ids, verifier }, settings),
        [transport, exchange, clock, ids, { serviceIdentifier: verifier, optional: true }],
      )
      .inSingletonScope();
  });
