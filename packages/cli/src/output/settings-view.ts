import { stripControlCharacters } from './screen.ts';
import type { LoadedSettings } from '../settings/load.ts';

/** Replaces every value that is one of `secrets`, or may contain a secret, by `***`. */
export const withoutSecrets = (value: unknown, secrets: ReadonlySet<string> = new Set()): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, secrets));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        /secret|password|privateKey/i.test(name) && inner !== null ? '***' : withoutSecrets(inner, secrets),
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
export const showSettings = ({ settings, sourceOf, secrets }: LoadedSettings): string =>
  leaves(withoutSecrets(settings, secrets))
    .map(([setting, value]) => `${setting} = ${JSON.stringify(value)}  (${sourceOf(setting)})`)
    .map((line) => `${stripControlCharacters(line)}\n`)
    .join('');

const leaves = (value: unknown, path: readonly string[] = []): (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null && !isListOfValues(value)
    ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
    : value === undefined
      ? []
      : [[path.join('.'), value]];

/** An array is shown as one value, unless it has objects, such as several identity providers. */
const isListOfValues = (value: object): boolean =>
  Array.isArray(value) && !value.some((item) => typeof item === 'object' && item !== null);
