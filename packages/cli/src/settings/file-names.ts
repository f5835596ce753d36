/** A name in a settings file that would have no effect. */
interface NameProblem {
  readonly setting: string;
  readonly message: string;
}

/** An object or a list that is open, and where in it the scan is. */
interface Level {
  /** The names so far; undefined in a list. */
  readonly names: Set<string> | undefined;
  at: string | number;
  isBeforeName: boolean;
}

/**
 * Names in a JSON text that `JSON.parse` or the schema would ignore: given more than once in one object, where only the
 * last one counts, and `__proto__`, which a record of settings leaves out.
 */
export const nameProblems = (json: string): readonly NameProblem[] => {
  const problems: NameProblem[] = [];
  const open: Level[] = [];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/g)) {
    const level = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '', isBeforeName: true });
    else if (token === '[') open.push({ names: undefined, at: 0, isBeforeName: false });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') goOn(level);
    else if (level?.isBeforeName) {
      const message = takeName(level, JSON.parse(token) as string);
      if (message !== undefined) problems.push({ setting: open.map(({ at }) => at).join('.'), message });
    }
  }
  return problems.filter(({ setting }, nth) => problems.findIndex((problem) => problem.setting === setting) === nth);
};

const goOn = (level: Level | undefined): void => {
  if (typeof level?.at === 'number') level.at++;
  else if (level) level.isBeforeName = true;
};

const takeName = (level: Level, name: string): string | undefined => {
  const isRepeated = level.names?.has(name);
  level.names?.add(name);
  level.at = name;
  level.isBeforeName = false;
  if (isRepeated) return 'is given more than once';
  return name === '__proto__' ? 'is not a name that a setting can have' : undefined;
};
