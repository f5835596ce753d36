import { downstreamPaths } from '@portico/adapters-http';
import type { ServiceName } from '@portico/core';
import type { OwnServiceSettings } from './sections/downstreams-schema.ts';
import type { LoadedSettings } from './load.ts';

/** The APIs that these settings enable; `name` is the value in JSON output, `label` is for people. */
export const enabledApis = (
  { identity, downstreams, search, roles }: LoadedSettings['settings'],
  services: readonly string[] = configuredServices({ downstreams }).map(([name]) => name),
): readonly { readonly name: string; readonly label: string }[] => [
  ...(identity && services.length > 0 && roles.includes('member')
    ? [{ name: 'member portal', label: 'member API' }]
    : []),
  ...(search.legs && roles.some((role) => role !== 'member')
    ? [{ name: 'federated search', label: 'search API' }]
    : []),
];

type BuiltInService = NonNullable<NonNullable<LoadedSettings['settings']['downstreams']>[ServiceName]>;

/** The settings of a service: built-in with `paths`, or of your own with `routes`. */
export interface ConfiguredService extends Omit<BuiltInService, 'paths'> {
  readonly paths?: Readonly<Record<string, string | undefined>>;
  readonly routes?: OwnServiceSettings['routes'];
}

/** The configured services behind the member API, with their settings. */
export const configuredServices = ({
  downstreams = {},
}: Pick<LoadedSettings['settings'], 'downstreams'>): readonly (readonly [name: string, ConfiguredService])[] =>
  Object.entries<ConfiguredService | undefined>(downstreams).flatMap(([name, settings]) =>
    settings === undefined ? [] : [[name, settings] as const],
  );

export const configuredService = (
  settings: Pick<LoadedSettings['settings'], 'downstreams'>,
  service: string,
): ConfiguredService | undefined => configuredServices(settings).find(([name]) => name === service)?.[1];

/** The paths of a service by operation: the default paths, if it is built in, and those in its settings. */
export const pathsOf = (
  service: string,
  paths: ConfiguredService['paths'],
): Readonly<Record<string, string | undefined>> => ({
  ...Object.entries(downstreamPaths).find(([name]) => name === service)?.[1],
  ...paths,
});
