import type { Reference } from './format.ts';

/** Resolves a reference to the component with that name; returns any other value unchanged. */
export const resolved = <Kind extends object>(
  value: Kind | Reference,
  components: Readonly<Record<string, Kind>>,
): Kind => ('$ref' in value ? components[value.$ref.slice(value.$ref.lastIndexOf('/') + 1)]! : value);
