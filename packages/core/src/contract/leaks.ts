/** A string that must not appear in a failure, and what it is. */
export interface Secret {
  readonly what: string;
  readonly value: string;
}

/** Shorter strings appear by chance. */
const shortest = 4;
const mostObjects = 20_000;

/**
 * Finds a secret anywhere in a value and returns what it is and where. Searches names and values of all properties
 * (also symbols, hidden ones and getters), causes, collections and bytes, in any case, plain or percent-encoded. A value
 * with too many objects to search, such as one with a socket, counts as a leak.
 */
export const findLeak = (value: unknown, secrets: readonly Secret[]): string | undefined => {
  const sought = secrets.filter((secret) => secret.value.length >= shortest).flatMap(forms);
  if (sought.length === 0) return undefined;
  const seen = new Set<unknown>();
  const left: (readonly [path: string, value: unknown])[] = [['failure', value]];
  for (let next = left.pop(); next; next = left.pop()) {
    if (seen.size > mostObjects) return `more than ${mostObjects} objects are in the failure`;
    const [path, found] = next;
    if (typeof found === 'string') {
      const text = found.toLowerCase();
      const leaked = sought.find((secret) => text.includes(secret.value));
      if (leaked) return `${leaked.what} is in ${path}`;
    } else if (isObjectLike(found) && !seen.has(found)) {
      seen.add(found);
      left.push(...partsOf(path, found));
    }
  }
  return undefined;
};

/** A URL also leaks by its host, as in "connect ECONNREFUSED 10.0.0.7:8443". */
const forms = ({ what, value }: Secret): readonly Secret[] => {
  const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)/i.exec(value)?.[1];
  const all = [value, encodeURIComponent(value.toWellFormed()), ...(host === undefined ? [] : [host])];
  return [...new Set(all)].map((form) => ({ what, value: form.toLowerCase() }));
};

const isObjectLike = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

function* partsOf(path: string, value: object): Generator<readonly [string, unknown]> {
  if (value instanceof Uint8Array) {
    yield [`the bytes of ${path}`, Array.from(value.subarray(0, 65_536), (byte) => String.fromCharCode(byte)).join('')];
    return;
  }
  if (value instanceof Map || value instanceof Set) yield [`the entries of ${path}`, [...value.entries()]];
  for (const name of namesIn(value)) {
    yield [`a name in ${path}`, String(name)];
    yield [`${path}.${String(name)}`, read(value, name)];
  }
}

/** The names of own properties, and of the getters of its classes. */
const namesIn = (value: object): readonly PropertyKey[] => {
  const names = Reflect.ownKeys(value);
  for (let level = parentOf(value); level && level !== Object.prototype; level = parentOf(level))
    for (const name of Reflect.ownKeys(level)) if (Reflect.getOwnPropertyDescriptor(level, name)?.get) names.push(name);
  return names;
};

const parentOf = (value: object): object | null => Reflect.getPrototypeOf(value);

const read = (value: object, name: PropertyKey): unknown => {
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
};
