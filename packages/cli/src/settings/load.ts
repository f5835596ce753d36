import { readFileSync } from 'node:fs';
import { isObject } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import type { z } from 'zod';
import { codeOf, nameProblems, syntaxProblem } from './file-problems.ts';
import { type Settings, settingsSchema } from './schema.ts';
import { withVariables } from './secrets.ts';
import { fieldsOf, withSuggestion } from './setting-types.ts';
import { variables } from './variables.ts';
import { withoutNulls } from './without-nulls.ts';

/** A problem with one setting: its name, where it was set, and what a valid value is. */
export interface SettingProblem {
  readonly setting: string;
  readonly source: string;
  readonly message: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** The settings to show. A setting that is not set is null. */
  readonly shown: z.infer<typeof settingsSchema>;
  /**
   * Returns the source of a setting: a flag, a variable, the path of the file, or `default`. A setting whose names may
   * contain a dot is a list of its names.
   */
  readonly sourceOf: (setting: string | readonly string[]) => string;
  /** The values that must not be shown. */
  readonly secrets: ReadonlySet<string>;
}

export interface SettingSources {
  /** Flags by name, including the two hyphens. `--config` is the path of the file. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Loads only the settings of the identity provider: settings of the services are not required and are ignored. */
  readonly onlyIdentity?: boolean;
  /** Settings in the shape of the file, used instead of a file. */
  readonly values?: object;
  /** Services may come from modules of the user: the settings need not have any. */
  readonly hasModules?: boolean;
}

type Tree = Record<string, unknown>;

/** Loads the settings: flag over environment over file over default. Returns all problems at once (contract, section 6). */
export const loadSettings = ({
  flags = {},
  env = {},
  onlyIdentity = false,
  values,
  hasModules = false,
}: SettingSources): Result<LoadedSettings, SettingProblem[]> => {
  const file = values ? ok(inCode(values)) : readFile(flags['--config'] || env['PORTICO_CONFIG']);
  const { tree, name, ignored } = file.unwrapOr(noFile());
  const set = new Map<string, string>();
  const ambiguous: SettingProblem[] = [];
  for (const { env: variable, flag, paths, read } of variables) {
    const flagged = flag === undefined ? undefined : flags[flag];
    // A shell passes an unset variable as an empty value.
    const value = flagged || env[variable];
    if (!value || (!flagged && isServiceLink(variable, value))) continue;
    const source = flagged ? (flag ?? variable) : variable;
    for (const path of paths.length > 1 ? pathsOfServices(tree, paths) : paths) {
      if (path[0] === 'identity' && Array.isArray(tree['identity'])) ambiguous.push(ofOneProvider(path, source));
      else put(tree, path, read(value));
      set.set(path.join('.'), source);
    }
  }
  if (onlyIdentity) delete tree['downstreams'];
  else if (file.isOk() && tree['downstreams'] !== undefined) tree['identity'] ??= {}; // reported as required
  const sourceOf = (setting: string | readonly string[]) => {
    const path = typeof setting === 'string' ? setting.split('.') : setting;
    return set.get(path.join('.')) ?? (has(tree, path) ? name : 'default');
  };
  const secrets = new Set<string>();
  // Compiling the schemas takes longer than one use of them without.
  const parsed = withVariables(env, secrets, () => settingsSchema.safeParse(tree, { jitless: true }));
  const found = parsed.error?.issues.flatMap((issue) => problemsOf(issue, tree, set, name)) ?? [];
  // When the file cannot be read, missing settings are not reported: the file may contain them.
  if (file.isErr()) return err([file.error, ...found.filter(({ source }) => source !== 'not set')]);
  const missing = onlyIdentity || hasModules ? [] : missingServices(tree);
  const problems = [
    ...found,
    ...ambiguous,
    ...missing,
    ...ignored.filter((one) => !found.some(({ setting }) => setting === one.setting)),
  ];
  return parsed.success && problems.length === 0
    ? ok({ settings: withoutNulls(parsed.data), shown: parsed.data, sourceOf, secrets })
    : err(problems);
};

/** Recognizes the variables that Kubernetes sets for every Service in the namespace: `METRICS_PORT` for `metrics`. */
const isServiceLink = (variable: string, value: string): boolean =>
  variable.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value);

/** The paths of a setting for all services: it does not enable a service, and applies to services of your own too. */
const pathsOfServices = (
  { downstreams }: Tree,
  paths: readonly (readonly string[])[],
): readonly (readonly string[])[] => Object.keys(fieldsOf(downstreams)).map((name) => paths[0]!.with(1, name));

interface SettingsFile {
  readonly tree: Tree;
  readonly name: string;
  /** Names in the file that would have no effect. */
  readonly ignored: readonly SettingProblem[];
}

/** Returns a new tree each time, because variables and flags are written into it. */
const noFile = (): SettingsFile => ({ tree: {}, name: 'default', ignored: [] });

/** A copy of settings from a program, because variables and flags are written into it. */
const inCode = (values: object): SettingsFile => ({
  tree: structuredClone(values) as Tree,
  name: 'settings',
  ignored: [],
});

const readFile = (path: string | undefined): Result<SettingsFile, SettingProblem> => {
  if (path === undefined || path === '') return ok(noFile());
  const problem = (message: string) => err({ setting: '(file)', source: path, message });
  let content: string;
  try {
    content = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = codeOf(error);
    return problem(
      code === 'ENOENT' ? 'file not found (ENOENT); check --config and PORTICO_CONFIG' : `cannot be read (${code})`,
    );
  }
  try {
    const tree = JSON.parse(content) as unknown;
    const ignored = nameProblems(content).map((ignored) => ({ ...ignored, source: path }));
    return isTree(tree) ? ok({ tree, name: path, ignored }) : problem('must contain a JSON object');
  } catch (error) {
    return problem(syntaxProblem(error));
  }
};

const isTree = (value: unknown): value is Tree => isObject(value);

const put = (tree: Tree, path: readonly string[], value: unknown): void => {
  const [first = '', ...rest] = path;
  if (rest.length === 0) tree[first] = value;
  else {
    const inner = (tree[first] ??= {});
    // The schema reports a section that is not an object.
    if (isTree(inner)) put(inner, rest, value);
  }
};

const has = (value: unknown, [first, ...rest]: readonly string[]): boolean =>
  first === undefined ||
  (typeof value === 'object' && value !== null && Object.hasOwn(value, first) && has((value as Tree)[first], rest));

const valueAt = (tree: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((value, name) => (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[name], tree);

/** With several providers, it is unclear which one a variable or flag is for. */
const ofOneProvider = (path: readonly string[], source: string): SettingProblem => ({
  setting: path.join('.'),
  source,
  message: 'cannot be set when identity is an array; set it in the settings file',
});

/** The member API needs an identity provider and at least one service (contract, section 6). */
const missingServices = ({ identity, downstreams = {} }: Tree): readonly SettingProblem[] =>
  identity !== undefined && isTree(downstreams) && Object.keys(downstreams).length === 0
    ? [
        {
          setting: 'downstreams',
          source: 'not set',
          message: 'required with identity; set the URL of at least one service',
        },
      ]
    : [];

const problemsOf = (
  issue: z.core.$ZodIssue,
  tree: Tree,
  set: ReadonlyMap<string, string>,
  file: string,
): SettingProblem[] => {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      setting: [...issue.path, key].join('.'),
      source: file,
      message: withSuggestion(issue.message, key),
    }));
  // Every other union has a message of its own. These are an object or an array.
  if (issue.code === 'invalid_union' && ['identity', 'search.personas'].includes(issue.path.join('.'))) {
    const [ofOne = [], ofSeveral = []] = issue.errors;
    const inner = Array.isArray(valueAt(tree, issue.path)) ? ofSeveral : ofOne;
    const at = (path: readonly PropertyKey[]) => [...issue.path, ...path];
    return inner.flatMap((each) => problemsOf({ ...each, path: at(each.path) }, tree, set, file));
  }
  const setting = issue.path.join('.');
  const source = [...set].find(([path]) => setting === path || setting.startsWith(`${path}.`))?.[1];
  const isSet = has(tree, issue.path.map(String));
  const isMissing = source === undefined && !isSet && issue.code !== 'custom';
  const message = isMissing ? `required; ${issue.message}` : issue.message;
  return [{ setting, source: source ?? (isSet ? file : 'not set'), message }];
};
