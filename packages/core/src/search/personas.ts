import type { Leg } from './leg.ts';

/** What one persona searches (contract, section 13). */
export interface PersonaSettings {
  /** The ids of the legs that are searched; the response has no others. Default: all. */
  readonly legs?: readonly string[] | undefined;
  /** Merged into the intent of each leg, with templates as in `extraIntent`; the leg's `extraIntent` wins. */
  readonly intent?: Readonly<Record<string, unknown>> | undefined;
}

/** The names of the personas that may search, or what each of them searches. */
export type Personas = readonly string[] | Readonly<Record<string, PersonaSettings>>;

const isList = (personas: Personas): personas is readonly string[] => Array.isArray(personas);

/** The names that a search request may have as `persona`. */
export const personaNames = (personas: Personas): readonly string[] =>
  isList(personas) ? personas : Object.keys(personas);

/** What a search of one persona is sent to. */
interface PersonaSearch<AnyLeg extends Leg> {
  readonly legs: readonly AnyLeg[];
  readonly intent?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the function from a persona to its legs and intent. Throws `TypeError` for a persona without legs, and for a leg
 * that does not exist. A persona without settings searches every leg.
 */
export const searchesOf = <AnyLeg extends Leg>(
  legs: readonly AnyLeg[],
  personas: Personas = {},
): ((persona: string) => PersonaSearch<AnyLeg>) => {
  // A map, because a persona may be named like a property that every object has.
  const searches = new Map(
    Object.entries(isList(personas) ? {} : personas).map(([name, settings]) => [name, searchOf(legs, name, settings)]),
  );
  return (persona) => searches.get(persona) ?? { legs };
};

const searchOf = <AnyLeg extends Leg>(
  legs: readonly AnyLeg[],
  name: string,
  { legs: ids, intent }: PersonaSettings,
): PersonaSearch<AnyLeg> => {
  if (!ids) return { legs, intent };
  const unknown = ids.find((id) => legs.every((leg) => leg.id !== id));
  if (unknown !== undefined) throw new TypeError(`The persona ${name} names the leg ${unknown}, which does not exist.`);
  if (ids.length === 0) throw new TypeError(`The persona ${name} must name at least one leg.`);
  return { legs: legs.filter((leg) => ids.includes(leg.id)), intent };
};
