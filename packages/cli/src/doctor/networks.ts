import type { Settings } from '../settings/schema.ts';
import type { Checks } from './check.ts';
import { reachable } from './request.ts';

/** Each leg's gateway, and the registry. */
export const examineNetworks: Checks = ({ settings: { search }, connections: { common }, check }) =>
  Promise.all([
    ...Object.entries(search.legs ?? {}).map(([id, { gatewayUrl }]) =>
      check(`gateway of leg ${id}`, (signal) => reachable(gatewayUrl, `search.legs.${id}.gatewayUrl`, signal, common)),
    ),
    ...registriesOf(search).map(({ name, url, setting }) =>
      check(name, (signal) => reachable(url, setting, signal, common)),
    ),
  ]);

const registriesOf = ({ legs, registry, registryUrl }: Settings['search']) => [
  ...(registry ? [{ name: 'registry', url: registry.url, setting: 'search.registry.url' }] : []),
  ...(registryUrl === undefined ? [] : [{ name: 'registry', url: registryUrl, setting: 'search.registryUrl' }]),
  ...Object.entries(legs ?? {}).flatMap(([id, leg]) =>
    leg.registry
      ? [{ name: `registry of leg ${id}`, url: leg.registry.url, setting: `search.legs.${id}.registry.url` }]
      : [],
  ),
];
