/** A name in a settings file that would have no effect. */
interface NameProblem {
  readonly setting: string;
  readonly message: string;
}

/** An object or array that is open, and the position of the scan in it. */
interface Level {
  /** The names read so far; undefined for an array. */
  readonly names: Set<string> | undefined;
  at: string | number;
  isBeforeName: boolean;
}

/**
 * Finds names in a JSON document that `JSON.parse` or the schema would ignore: duplicates in one object, of which only
 * the last one counts, and `__proto__`.
 */
export const nameProblems = (json: string): readonly NameProblem[] => {
  const problems: NameProblem[] = [];
  const open: Level[] = [];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/g)) {
    const level = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '', isBeforeName: true });
    else if (token === '[') open.push({ names: undefined, at: 0, isBeforeName: false });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') startNextItem(level);
    else if (level?.isBeforeName) {
      const message = readName(level, JSON.parse(token) as string);
      if (message !== undefined) problems.push({ setting: open.map(({ at }) => at).join('.'), message });
    }
  }
  return problems.filter(({ setting }, nth) => problems.findIndex((problem) => problem.setting === setting) === nth);
};

const startNextItem = (level: Level | undefined): void => {
  if (typeof level?.at === 'number') level.at++;
  else if (level) level.isBeforeName = true;
};

const readName = (level: Level, name: string): string | undefined => {
  const isRepeated = level.names?.has(name);
  level.names?.add(name);
  level.at = name;
  level.isBeforeName = false;
  if (isRepeated) return 'is set more than once';
  return name === '__proto__' ? 'is not a valid setting name' : undefined;
};

/** Describes why a text is not JSON. Only the position: the error message quotes the text, which may contain secrets. */
export const syntaxProblem = (error: unknown): string => {
  const [position] = /line \d+ column \d+/.exec(String(error)) ?? [];
  return `is not valid JSON${position ? ` (${position})` : ''}`;
};

/** Returns the code of a system error (`ENOENT`), which is safe to print, unlike the message. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';
