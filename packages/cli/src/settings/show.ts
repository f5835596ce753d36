import type { ServiceName } from '@portico/core';
import { stripControlCharacters } from '../output/screen.ts';
import type { OwnServiceSettings } from './sections/downstreams-schema.ts';
import type { LoadedSettings, SettingProblem } from './load.ts';

/** Formats problems, one per line. A problem with the file itself has no setting. */
export const showProblems = (problems: readonly SettingProblem[]): string =>
  problems
    .map(({ setting, source, message }) =>
      setting === '(file)' ? `${source}: ${message}` : `${setting} (${source}): ${message}`,
    )
    // Names in a settings file, and the name of the file itself, may contain anything.
    .map((line) => `  ${stripControlCharacters(line)}\n`)
    .join('');

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

/** The APIs that these settings enable; `name` is the value in JSON output, `label` is for people. */
export const enabledApis = (
  { identity, downstreams, search, roles }: LoadedSettings['settings'],
  services: readonly string[] = configuredServices({ downstreams }).map(([name]) => name),
): readonly { readonly name: string; readonly label: string }[] => [
  ...(identity && services.length > 0 && roles.includes('member')
    ? [{ name: 'member portal', label: 'member API' }]
    : []),
  ...(search.legs && roles.some((role) => role !== 'member')
    ? [{ name: 'federated search', label: 'search API' }]
    : []),
];

type BuiltInService = NonNullable<NonNullable<LoadedSettings['settings']['downstreams']>[ServiceName]>;

/** The settings of a service: built-in with `paths`, or of your own with `routes`. */
export interface ConfiguredService extends Omit<BuiltInService, 'paths'> {
  readonly paths?: Readonly<Record<string, string | undefined>>;
  readonly routes?: OwnServiceSettings['routes'];
}

/** The configured services behind the member API, with their settings. */
export const configuredServices = ({
  downstreams = {},
}: Pick<LoadedSettings['settings'], 'downstreams'>): readonly (readonly [name: string, ConfiguredService])[] =>
  Object.entries<ConfiguredService | undefined>(downstreams).flatMap(([name, settings]) =>
    settings === undefined ? [] : [[name, settings] as const],
  );
