import { endOfString, endOfValue } from './json-scan.ts';

/**
 * Returns the members of an object in JSON text, each value as it is written. Parsing loses digits of big numbers. Of a
 * repeated name, the last value counts, as in `JSON.parse`. The text must be valid JSON; text without an object has no
 * members.
 */
export const membersIn = (text: string): ReadonlyMap<string, string> => {
  const members = new Map<string, string>();
  if (!/^\s*\{/.test(text)) return members;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    const endOfName = endOfString(text, at) + 1;
    const name = JSON.parse(text.slice(at, endOfName)) as string;
    const start = text.indexOf(':', endOfName) + 1;
    at = endOfValue(text, start);
    members.set(name, text.slice(start, at).trim());
  }
  return members;
};
