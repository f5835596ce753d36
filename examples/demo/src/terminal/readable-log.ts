/** Turns the JSON lines of `portico serve` into lines for people, as they arrive in pieces of text. */
export const readableLog = (write: (text: string) => void): ((text: string) => void) => {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) write(lines.map((line) => `${readable(line)}\n`).join(''));
  };
};

interface LogLine extends Readonly<Record<string, unknown>> {
  readonly time: string;
  readonly level: string;
  readonly message: string;
}

/** A line that is no JSON of the log is returned as it is. */
const readable = (line: string): string => {
  const parsed = parse(line);
  return (parsed ? text(parsed) : line).replaceAll(/\p{Cc}/gu, '');
};

const parse = (line: string): LogLine | undefined => {
  try {
    const value = JSON.parse(line) as Partial<LogLine> | null;
    return value?.time !== undefined && value.level !== undefined ? (value as LogLine) : undefined;
  } catch {
    return undefined;
  }
};

/** Fields that people need of a request only when it failed. */
const ofFailures = ['code', 'service', 'reason', 'requestId'];

const text = ({ time, level, message, ...fields }: LogLine): string => {
  const at = new Date(time).toTimeString().slice(0, 8);
  if (message !== 'request') return [at, level, message, ...withNames(fields, Object.keys(fields))].join('  ');
  const { method, route, status, durationMs } = fields;
  const request = `${String(method).padEnd(5)}  ${String(route).padEnd(24)}  ${String(status)}  ${String(durationMs)} ms`;
  return [at, request, ...withNames(fields, Number(status) < 400 ? [] : ofFailures)].join('  ');
};

const withNames = (fields: Readonly<Record<string, unknown>>, names: readonly string[]): readonly string[] =>
  names.flatMap((name) => {
    const value = fields[name];
    return value === undefined ? [] : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`];
  });
