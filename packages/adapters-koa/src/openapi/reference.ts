import type { Reference } from './format.ts';

/** What is meant: the thing itself, or the one of that name among the components. */
export const resolved = <Kind extends object>(
  given: Kind | Reference,
  components: Readonly<Record<string, Kind>>,
): Kind => ('$ref' in given ? components[given.$ref.slice(given.$ref.lastIndexOf('/') + 1)]! : given);
