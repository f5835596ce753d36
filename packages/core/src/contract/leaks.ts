/** A string that must not appear in a failure, and what it is. */
export interface Secret {
  readonly what: string;
  readonly value: string;
}

/** Shorter strings appear by chance. */
const shortest = 4;
const shortestBase64 = 8;
const mostObjects = 20_000;
const mostEntries = 1000;

/**
 * Finds a secret anywhere in a value and returns what it is and where. Searches names and values of all properties
 * (also symbols, hidden and inherited ones, and getters), causes, collections, bytes, and what the value converts to, in
 * any case, plain, percent-encoded or in base64. A value with too many objects to search, such as one with a socket,
 * counts as a leak. `name` is that of the value in the description.
 */
export const findLeak = (
  value: unknown,
  secrets: readonly Secret[],
  name: 'failure' | 'result' = 'failure',
): string | undefined => {
  const sought = secrets.filter((secret) => secret.value.length >= shortest).flatMap(forms);
  if (sought.length === 0) return undefined;
  const seen = new Set<unknown>();
  const left: (readonly [path: string, value: unknown])[] = [[name, value]];
  for (let next = left.pop(); next; next = left.pop()) {
    if (seen.size > mostObjects) return `more than ${mostObjects} objects are in the ${name}`;
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
  const encoded = encodeURIComponent(value.toWellFormed());
  const all = [value, encoded, ...inBase64(encoded), ...(host === undefined ? [] : [host])];
  return [...new Set(all)].map((form) => ({ what, value: form.toLowerCase() }));
};

const { btoa } = globalThis as unknown as { btoa(bytes: string): string };

/**
 * The base64 of the bytes at each of the three offsets, such as in `Basic` credentials, without the characters that also
 * depend on the bytes before or after.
 */
const inBase64 = (percentEncoded: string): readonly string[] => {
  const bytes = percentEncoded.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return ['', '-', '--']
    .map((before) => {
      const whole = Math.floor((before.length + bytes.length) / 3) * 3;
      return btoa((before + bytes).slice(0, whole)).slice(before === '' ? 0 : 4);
    })
    .flatMap((form) => (form.length < shortestBase64 ? [] : [form, form.replaceAll('+', '-').replaceAll('/', '_')]));
};

const isObjectLike = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

function* partsOf(path: string, value: object): Generator<readonly [string, unknown]> {
  const bytes = bytesOf(value);
  if (bytes) {
    yield [`the bytes of ${path}`, Array.from(bytes.subarray(0, 65_536), (byte) => String.fromCharCode(byte)).join('')];
    return;
  }
  if (!Array.isArray(value)) {
    yield [`the entries of ${path}`, entriesOf(value)];
    for (const [name, hint] of conversions) yield [`what ${path} converts to`, convert(value, name, hint)];
  }
  for (const name of namesIn(value)) {
    yield [`a name in ${path}`, String(name)];
    yield [`${path}.${String(name)}`, read(value, name)];
  }
}

const bytesOf = (value: object): Uint8Array | undefined => {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
};

/** What an iterable shows, such as a map or header fields. */
const entriesOf = (value: object): readonly unknown[] => {
  const entries: unknown[] = [];
  try {
    if (Symbol.iterator in value)
      for (const entry of value as Iterable<unknown>) if (entries.push(entry) === mostEntries) break;
  } catch {
    // Not an iterable.
  }
  return entries;
};

/** The methods with which logs serialize a value, and their argument. */
const conversions: readonly (readonly [name: PropertyKey, hint: string])[] = [
  ['toJSON', ''],
  ['toString', ''],
  [Symbol.toPrimitive, 'string'],
  [Symbol.for('nodejs.util.inspect.custom'), ''],
];

const convert = (value: object, name: PropertyKey, hint: string): unknown => {
  // The source code of a function is not data.
  if (typeof value === 'function' && name === 'toString') return undefined;
  const conversion = read(value, name);
  if (typeof conversion !== 'function' || conversion === Object.prototype.toString) return undefined;
  try {
    return Reflect.apply(conversion, value, [hint]);
  } catch {
    return undefined;
  }
};

/** The names of own properties, and of the getters and values of its prototypes. */
const namesIn = (value: object): readonly PropertyKey[] => {
  const names = Reflect.ownKeys(value);
  for (let level = parentOf(value); level && level !== Object.prototype; level = parentOf(level))
    for (const name of Reflect.ownKeys(level)) {
      const { get, value: inherited } = Reflect.getOwnPropertyDescriptor(level, name) ?? {};
      if (get || typeof inherited !== 'function') names.push(name);
    }
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
