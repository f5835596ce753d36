import type { LoadedSettings, SettingProblem } from './load.ts';

/** One line per problem. */
export const showProblems = (problems: readonly SettingProblem[]): string =>
  problems.map(({ setting, source, message }) => `  ${setting} (${source}): ${message}\n`).join('');

/** The settings as they are in force, fit to be shown: whatever may hold a secret is blotted out. */
export const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        /secret|password|privateKey/i.test(name) && inner !== null ? '***' : withoutSecrets(inner),
      ]),
    );
  return typeof value === 'string' ? withoutCredentials(value) : value;
};

/** A URL's user, password and query may all be credentials. */
const withoutCredentials = (text: string): string => {
  if (text.startsWith('/')) return text.replace(/\?.*$/s, '?***');
  // Parsed, because a password may itself hold an "@".
  const url = URL.parse(text);
  if (!url || !(url.username || url.password || url.search)) return text;
  if (url.username || url.password) [url.username, url.password] = ['***', ''];
  if (url.search) url.search = '***';
  return url.href;
};

/** Every setting with its value and where it comes from, a line each. */
export const showSettings = ({ settings, sourceOf }: LoadedSettings): string =>
  leaves(withoutSecrets(settings))
    .map(([setting, value]) => `${setting} = ${JSON.stringify(value)}  (${sourceOf(setting)})\n`)
    .join('');

const leaves = (value: unknown, path: readonly string[] = []): (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
    : value === undefined
      ? []
      : [[path.join('.'), value]];

/** The halves that these settings have Portico serve. */
export const halvesOf = ({ identity, search, roles }: LoadedSettings['settings']): readonly string[] => [
  ...(identity && roles.includes('member') ? ['member portal'] : []),
  ...(search.legs && roles.some((role) => role !== 'member') ? ['federated search'] : []),
];
