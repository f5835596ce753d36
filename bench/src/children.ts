import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const children = new Set<ChildProcess>();

/** What they say on stderr, which with a line per request is too much for a terminal. */
const logFolder = fileURLToPath(new URL('../results/', import.meta.url));
mkdirSync(logFolder, { recursive: true });
const logFile = openSync(`${logFolder}children.log`, 'w');

/** Ends every process that was started here. */
export const stopAll = (): void => {
  for (const child of children) child.kill('SIGTERM');
};

export interface Child {
  readonly pid: number;
  /** What it said on its first line. */
  readonly said: Readonly<Record<string, unknown>>;
  /** Puts a question to it, over IPC, and gives the answer. */
  ask(question: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** A process of its own that says on its first line, in JSON, where it listens. The file is one of ours by its `./`. */
export const start = async (
  file: string,
  args: readonly string[] = [],
  nodeArgs: readonly string[] = [],
): Promise<Child> => {
  const path = file.startsWith('./') ? fileURLToPath(new URL(file, import.meta.url)) : file;
  const child = spawn(process.execPath, [...nodeArgs, path, ...args], {
    stdio: ['ignore', 'pipe', logFile, 'ipc'],
    // As in production: koa and fastify are quieter there.
    env: { ...process.env, NODE_ENV: 'production', LOG_LEVEL: 'info' },
  });
  children.add(child);
  const gone = once(child, 'exit').then(() => {
    children.delete(child);
  });
  const line = await Promise.race([once(createInterface({ input: child.stdout! }), 'line'), gone]);
  if (!line) throw new Error(`${file} ended before it was ready; bench/results/children.log says why.`);
  return {
    pid: child.pid!,
    said: JSON.parse(line[0] as string) as Child['said'],
    ask: async (question) => {
      child.send(question);
      const [answer] = (await Promise.race([
        once(child, 'message'),
        gone.then(() => {
          throw new Error(`${file} ended.`);
        }),
      ])) as [unknown];
      return answer;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
};

/** Where a child listens. */
export const addressOf = ({ said }: Child): string =>
  typeof said['url'] === 'string' ? said['url'] : `http://127.0.0.1:${String(said['port'])}`;

/** Processor time that a process has used, in milliseconds; not a number where there is no `/proc`. */
export const processorTime = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
};

/** Memory that a process holds, in bytes; not a number where there is no `/proc`. */
export const residentMemory = (pid: number): number => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
};
