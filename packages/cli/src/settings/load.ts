import { readFileSync } from 'node:fs';
import { downstreamPaths } from '@portico/adapters-http';
import { err, ok, type Result } from 'neverthrow';
import type { z } from 'zod';
import { nameProblems } from './file-names.ts';
import { type Settings, settingsSchema } from './schema.ts';
import { variables } from './variables.ts';

/** One thing wrong with the settings: which, set where, and what would be right. */
export interface SettingProblem {
  readonly setting: string;
  readonly source: string;
  readonly message: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** Where a setting's value comes from: a flag, a variable, the file, or the default. */
  readonly sourceOf: (setting: string) => string;
}

export interface SettingSources {
  /** Flags as given, by name with the two hyphens. `--config` names the file. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Only the identity provider is wanted: what is said of the services is neither needed nor looked at. */
  readonly onlyIdentity?: boolean;
}

type Tree = Record<string, unknown>;

/** Flag over environment over file over default; every problem at once (contract, section 6). */
export const loadSettings = ({
  flags = {},
  env = {},
  onlyIdentity = false,
}: SettingSources): Result<LoadedSettings, SettingProblem[]> => {
  const file = readFile(flags['--config'] || env['PORTICO_CONFIG']);
  const { tree, name, ignored } = file.unwrapOr(noFile());
  const set = new Map<string, string>();
  for (const { env: variable, flag, paths, read } of variables) {
    const flagged = flag === undefined ? undefined : flags[flag];
    // An empty value is how a shell passes on what is not set.
    const value = flagged || env[variable];
    if (!value || (!flagged && isServiceLink(variable, value))) continue;
    const source = flagged ? (flag ?? variable) : variable;
    // A deadline for all services says nothing about whether there are any.
    if (paths.length > 1 && !hasMemberApi(tree)) continue;
    for (const path of paths) {
      put(tree, path, read(value));
      set.set(path.join('.'), source);
    }
  }
  // What a file that cannot be read would have set, nobody knows: nothing is missing then.
  if (onlyIdentity) setAside(tree);
  else if (file.isOk()) completeMemberHalf(tree);
  const sourceOf = (setting: string) => set.get(setting) ?? (has(tree, setting.split('.')) ? name : 'default');
  const parsed = settingsSchema.safeParse(tree);
  const found = parsed.error?.issues.flatMap((issue) => problemsOf(issue, tree, set, name)) ?? [];
  if (file.isErr()) return err([file.error, ...found.filter(({ source }) => source !== 'not set')]);
  const problems = [...found, ...ignored.filter((one) => !found.some(({ setting }) => setting === one.setting))];
  return parsed.success && problems.length === 0 ? ok({ settings: parsed.data, sourceOf }) : err(problems);
};

/** What Kubernetes sets for a Service called `metrics`, and for every other in the namespace. */
const isServiceLink = (variable: string, value: string): boolean =>
  variable.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value);

interface SettingsFile {
  readonly tree: Tree;
  readonly name: string;
  /** Names in it that would have no effect. */
  readonly ignored: readonly SettingProblem[];
}

/** A new one each time: variables and flags are put into its tree. */
const noFile = (): SettingsFile => ({ tree: {}, name: 'default', ignored: [] });

const readFile = (path: string | undefined): Result<SettingsFile, SettingProblem> => {
  if (path === undefined || path === '') return ok(noFile());
  const refuse = (message: string) => err({ setting: '(file)', source: path, message });
  let content: string;
  try {
    content = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    return refuse(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
  try {
    const tree = JSON.parse(content) as unknown;
    const ignored = nameProblems(content).map((problem) => ({ ...problem, source: path }));
    return isTree(tree) ? ok({ tree, name: path, ignored }) : refuse('must hold a JSON object');
  } catch (error) {
    // Only the place: the message itself quotes the file, secrets included.
    const [place] = /line \d+ column \d+/.exec(String(error)) ?? [];
    return refuse(`is not valid JSON${place ? ` (${place})` : ''}`);
  }
};

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

const put = (tree: Tree, path: readonly string[], value: unknown): void => {
  const [first = '', ...rest] = path;
  if (rest.length === 0) tree[first] = value;
  else {
    const inner = (tree[first] ??= {});
    // What is not an object stays as it is, for the schema to complain about.
    if (isTree(inner)) put(inner, rest, value);
  }
};

const has = (value: unknown, [first, ...rest]: readonly string[]): boolean =>
  first === undefined ||
  (typeof value === 'object' && value !== null && Object.hasOwn(value, first) && has((value as Tree)[first], rest));

const hasMemberApi = ({ identity, downstreams }: Tree) => identity !== undefined || downstreams !== undefined;

const setAside = (tree: Tree): void => {
  delete tree['downstreams'];
};

/** A half that is set in part is an error, and every missing part of it a problem of its own. */
const completeMemberHalf = (tree: Tree): void => {
  if (!hasMemberApi(tree)) return;
  tree['identity'] ??= {};
  const downstreams = (tree['downstreams'] ??= {});
  if (isTree(downstreams)) for (const name of Object.keys(downstreamPaths)) downstreams[name] ??= {};
};

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
      message: issue.message,
    }));
  const setting = issue.path.join('.');
  const source = [...set].find(([path]) => setting === path || setting.startsWith(`${path}.`))?.[1];
  const isSet = has(tree, issue.path.map(String));
  return [{ setting, source: source ?? (isSet ? file : 'not set'), message: issue.message }];
};
