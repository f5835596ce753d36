import type { JsonObject } from '@portico/core';
import { fieldsOf, type Problem, problemIf } from '../setting-types.ts';

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
    ...problemIf(isSet(registry) && isSet(registryUrl), 'must not be set beside search.registry', 'registryUrl'),
    ...problemIf(
      !isSet(registry) && !isSet(registryUrl) && networks.some(([, leg]) => needsRegistry(leg)),
      'required when a leg sets verifyCallbacks and has no registry of its own',
      'registryUrl',
    ),
  ];
};

const needsRegistry = (leg: JsonObject): boolean => leg['verifyCallbacks'] === true && !isSet(leg['registry']);

const personaProblems = (personas: unknown, ids: ReadonlySet<string>): readonly Problem[] =>
  Object.entries(fieldsOf(personas)).flatMap(([name, persona]) => {
    const { legs } = fieldsOf(persona);
    const named: readonly unknown[] = Array.isArray(legs) ? legs : [];
    return named.flatMap((id, index) => {
      const message = `there is no leg ${String(id)}; expected one of: ${[...ids].join(', ')}`;
      return problemIf(typeof id === 'string' && !ids.has(id), message, 'personas', name, 'legs', String(index));
    });
  });

const collectProblems = ({ callbacks, maxCallbacks }: JsonObject): readonly Problem[] => {
  const { count } = fieldsOf(callbacks);
  const isTooSmall = typeof count === 'number' && typeof maxCallbacks === 'number' && count > maxCallbacks;
  return problemIf(isTooSmall, `must be at least ${String(count)}, the count of callbacks`, 'maxCallbacks');
};

/** The settings that only some profiles read. */
const profilesOf = {
  country: ['beckn-0.9', 'ondc-1.2'],
  finderFee: ['ondc-1.2'],
  fieldNames: ['beckn-2.0'],
} as const;

const profileProblems = (leg: JsonObject): readonly Problem[] => {
  const { profile, city } = leg;
  const unused = Object.entries(profilesOf).flatMap(([name, profiles]) => {
    const isUnused = isSet(leg[name]) && typeof profile === 'string' && !profiles.some((one) => one === profile);
    return problemIf(isUnused, `allowed only with the profile ${profiles.join(' or ')}`, name);
  });
  if (profile !== 'ondc-1.2') return unused;
  const isCity = typeof city !== 'string' || /^(?:std:\d+|\*)$/.test(city);
  return [
    ...unused,
    ...['signing', 'finderFee'].flatMap((name) =>
      problemIf(!isSet(leg[name]), 'required with the profile ondc-1.2', name),
    ),
    ...problemIf(!isCity, 'must have the form std:080, or be *, with the profile ondc-1.2', 'city'),
  ];
};

const registryProblems = (registry: unknown, legSigning?: unknown): readonly Problem[] => {
  const { profile, signing } = fieldsOf(registry);
  const isUnsigned = profile === 'ondc' && !isSet(signing) && !isSet(legSigning);
  return problemIf(isUnsigned, 'required with the profile ondc', 'signing');
};

const within = (path: readonly string[], problem: Problem): Problem => ({
  ...problem,
  path: [...path, ...problem.path],
});

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
