import { stripControlCharacters } from './screen.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { freeSettings } from '../settings/without-nulls.ts';

const secretNames = /secret|password|privateKey/i;
/** What may be secret in settings with names that other systems define. */
const secretNamesOfOthers = /secret|password|private[-_]?key|token|api[-_]?key|authorization/i;

/** Replaces every value that is one of `secrets`, or may contain a secret, by `***`. */
export const withoutSecrets = (
  value: unknown,
  secrets: ReadonlySet<string> = new Set(),
  names = secretNames,
): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, secrets, names));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        names.test(name) && inner !== null
          ? '***'
          : withoutSecrets(inner, secrets, freeSettings.has(name) ? secretNamesOfOthers : names),
      ]),
    );
  if (typeof value !== 'string') return value;
  return secrets.has(value) ? '***' : withoutCredentials(value);
};

/** Redacts user, password and query of a URL: each may contain credentials. */
const withoutCredentials = (value: string): string => {
  if (value.startsWith('/')) return value.replace(/\?.*$/s, '?***');
  // Parsed, because a password may contain an "@".
  const url = URL.parse(value);
  // A slash is missing, or the password has a "/" or "#": the parser takes it for a path or a fragment.
  if (url && /@/.test(url.pathname + url.hash)) return `${url.protocol}***`;
  if (!url || !(url.username || url.password || url.search)) return value;
  if (url.username || url.password) [url.username, url.password] = ['***', ''];
  if (url.search) url.search = '***';
  return url.href;
};

/** Formats every setting with its value and source, one per line. */
export const showSettings = ({ shown, sourceOf, secrets }: LoadedSettings): string =>
  leaves(withoutSecrets(shown, secrets))
    .map(([path, value]) => `${path.join('.')} = ${JSON.stringify(value)}  (${sourceOf(path)})`)
    .map((line) => `${stripControlCharacters(line)}\n`)
    .join('');

const leaves = (value: unknown, path: readonly string[] = []): (readonly [readonly string[], unknown])[] =>
  typeof value === 'object' && value !== null && !isListOfValues(value)
    ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
    : value === undefined
      ? []
      : [[path, value]];

/** An array is shown as one value, unless it has objects, such as several identity providers. */
const isListOfValues = (value: object): boolean =>
  Array.isArray(value) && !value.some((item) => typeof item === 'object' && item !== null);
