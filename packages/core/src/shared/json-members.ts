import { endOfString } from './json-scan.ts';

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

/** Returns the index of the comma or bracket after a value. */
const endOfValue = (text: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      if (depth-- === 0) return at;
    } else if (character === ',' && depth === 0) return at;
  }
  return text.length;
};
