import type { JsonObject } from '@portico/core';
import { fieldsOf, type Problem } from '../setting-types.ts';

/**
 * Checks the settings of networks against each other: personas and legs, registries, and what a profile requires. Any of
 * them may itself be invalid, which is reported elsewhere.
 */
export const networkProblems = (search: object): readonly Problem[] => {
  const { legs, personas, registry, registryUrl } = search as JsonObject;
  const networks = Object.entries(fieldsOf(legs)).map(([id, leg]) => [id, fieldsOf(leg)] as const);
  return [
    ...personaProblems(personas, new Set(networks.map(([id]) => id))),
    ...networks.flatMap(([id, leg]) => [
      ...[...collectProblems(leg), ...profileProblems(leg)].map((problem) => within(['legs', id], problem)),
      ...registryProblems(leg['registry'], leg['signing']).map((problem) => within(['legs', id, 'registry'], problem)),
    ]),
    ...registryProblems(registry).map((problem) => within(['registry'], problem)),
    ...(isSet(registry) && isSet(registryUrl)
      ? [{ path: ['registryUrl'], message: 'must not be set beside search.registry' }]
      : []),
    ...(!isSet(registry) && !isSet(registryUrl) && networks.some(([, leg]) => needsRegistry(leg))
      ? [{ path: ['registryUrl'], message: 'required when a leg sets verifyCallbacks' }]
      : []),
  ];
};

const needsRegistry = (leg: JsonObject): boolean => leg['verifyCallbacks'] === true && !isSet(leg['registry']);

const personaProblems = (personas: unknown, ids: ReadonlySet<string>): readonly Problem[] =>
  Object.entries(fieldsOf(personas)).flatMap(([name, persona]) => {
    const { legs } = fieldsOf(persona);
    const named: readonly unknown[] = Array.isArray(legs) ? legs : [];
    return named.flatMap((id, index) =>
      typeof id !== 'string' || ids.has(id)
        ? []
        : [
            {
              path: ['personas', name, 'legs', String(index)],
              message: `there is no leg ${id}; expected one of: ${[...ids].join(', ')}`,
            },
          ],
    );
  });

const collectProblems = ({ callbacks, maxCallbacks }: JsonObject): readonly Problem[] => {
  const { count } = fieldsOf(callbacks);
  return typeof count === 'number' && typeof maxCallbacks === 'number' && count > maxCallbacks
    ? [{ path: ['maxCallbacks'], message: `must be at least ${count}, the count of callbacks` }]
    : [];
};

/** The settings that only some profiles read. */
const profilesOf = {
  country: ['beckn-0.9', 'ondc-1.2'],
  finderFee: ['ondc-1.2'],
  fieldNames: ['beckn-2.0'],
} as const;

const profileProblems = (leg: JsonObject): readonly Problem[] => {
  const { profile, city } = leg;
  const unused = Object.entries(profilesOf).flatMap(([name, profiles]) =>
    isSet(leg[name]) && typeof profile === 'string' && !profiles.some((one) => one === profile)
      ? [{ path: [name], message: `allowed only with the profile ${profiles.join(' or ')}` }]
      : [],
  );
  if (profile !== 'ondc-1.2') return unused;
  const missing = ['signing', 'finderFee'].filter((name) => !isSet(leg[name]));
  const isCity = typeof city !== 'string' || /^(?:std:\d+|\*)$/.test(city);
  return [
    ...unused,
    ...missing.map((name) => ({ path: [name], message: 'required with the profile ondc-1.2' })),
    ...(isCity ? [] : [{ path: ['city'], message: 'must have the form std:080, or be *, with the profile ondc-1.2' }]),
  ];
};

const registryProblems = (registry: unknown, legSigning?: unknown): readonly Problem[] => {
  const { profile, signing } = fieldsOf(registry);
  return profile === 'ondc' && !isSet(signing) && !isSet(legSigning)
    ? [{ path: ['signing'], message: 'required with the profile ondc' }]
    : [];
};

const within = (path: readonly string[], problem: Problem): Problem => ({
  ...problem,
  path: [...path, ...problem.path],
});

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
