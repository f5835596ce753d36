import { readFileSync } from 'node:fs';
import {
  declareService,
  type OperationDeclaration,
  type RouteKey,
  type ServiceDeclaration,
  type ServiceName,
} from '@portico/core';
import { isBuiltIn } from './built-in-services.ts';
import type { OwnServiceSettings } from './sections/downstreams-schema.ts';
import type { Settings } from './schema.ts';

type WithDownstreams = Pick<Settings, 'downstreams'>;

/** The services that are served. */
export interface ServedServices {
  readonly builtIn: readonly ServiceName[];
  readonly own: readonly ServiceDeclaration[];
}

export const servicesIn = (settings: WithDownstreams): ServedServices => ({
  builtIn: Object.keys(settings.downstreams ?? {}).filter(isBuiltIn),
  own: ownServices(settings).map(({ declaration }) => declaration),
});

export const namesOf = ({ builtIn, own }: ServedServices): readonly string[] => [
  ...builtIn,
  ...own.map(({ name }) => name),
];

interface OwnServiceInSettings {
  readonly declaration: ServiceDeclaration;
  readonly settings: OwnServiceSettings;
}

/** The services of your own, declared by their settings. The name of an operation is its route. */
export const ownServices = ({ downstreams = {} }: WithDownstreams): readonly OwnServiceInSettings[] =>
  Object.entries(downstreams as Readonly<Record<string, unknown>>).flatMap(([name, settings]) => {
    if (isBuiltIn(name)) return [];
    const { routes, memberFrom } = settings as OwnServiceSettings;
    const operations = Object.entries(routes).map(([route, declared]) => [route, operationOf(route, declared)]);
    const declaration = declareService(name, Object.fromEntries(operations), { memberFrom });
    return [{ declaration, settings: settings as OwnServiceSettings }];
  });

/** The settings have been checked: the key is a route, and the file contains a JSON object. */
const operationOf = (
  route: string,
  { path, query, type, summary, schema }: OwnServiceSettings['routes'][string],
): OperationDeclaration => ({
  route: route as RouteKey,
  path: path as OperationDeclaration['path'],
  ...(query && { query }),
  ...(type !== undefined && { type }),
  ...(summary !== undefined && { summary }),
  ...(schema !== undefined && { schema: JSON.parse(readFileSync(schema, 'utf8')) as Record<string, unknown> }),
});
