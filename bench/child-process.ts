import { type ChildProcess, spawn } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A script in a separate process. */
export interface Child {
  readonly pid: number;
  /** The JSON on its first line of output, which reports that it is ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Sends a message over IPC and resolves with the reply. Sends one message at a time, because replies have no id. */
  request(message: object): Promise<unknown>;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
  /** Receives stderr. By default, `bench/results/children.log`. */
  readonly logFile?: string;
}

const resultsFolder = fileURLToPath(new URL('results/', import.meta.url));
mkdirSync(resultsFolder, { recursive: true });
const sharedLog = `${resultsFolder}children.log`;
writeFileSync(sharedLog, '');

const running = new Set<ChildProcess>();

/** Sends SIGTERM to every process that was started here. */
export const stopAll = (): void => {
  for (const child of running) child.kill('SIGTERM');
};

/** Starts a script with Node and waits until it prints its first line. Rejects if it exits before that. */
export const start = async (
  script: URL,
  { args = [], nodeArgs = [], logFile = sharedLog }: StartOptions = {},
): Promise<Child> => {
  const path = fileURLToPath(script);
  // A file instead of a pipe: a full pipe would block the process.
  const stderr = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...nodeArgs, path, ...args], {
    stdio: ['ignore', 'pipe', stderr, 'ipc'],
    // As in production: Koa and Fastify log less with this setting.
    env: { ...process.env, NODE_ENV: 'production', LOG_LEVEL: 'info' },
  });
  closeSync(stderr);
  running.add(child);
  const exited = once(child, 'exit').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const unlessExited = async (emitter: EventEmitter, event: string): Promise<unknown> => {
    const gone = new AbortController();
    const onExit = () => gone.abort();
    child.once('exit', onExit);
    if (child.exitCode !== null || child.signalCode !== null) onExit();
    try {
      const [value] = await once(emitter, event, gone);
      return value;
    } catch (error) {
      if (!gone.signal.aborted) throw error;
      const lines = readFileSync(logFile, 'utf8').slice(-2000);
      throw new Error(`${path} exited with ${await exited}:\n${lines}`, { cause: error });
    } finally {
      child.off('exit', onExit);
    }
  };
  const line = await unlessExited(createInterface({ input: child.stdout! }), 'line');
  let last: Promise<unknown> = Promise.resolve();
  return {
    pid: child.pid!,
    ready: JSON.parse(line as string) as Child['ready'],
    request: (message) => {
      last = last.then(() => {
        // An exited process is reported by unlessExited.
        child.send(message, () => {});
        return unlessExited(child, 'message');
      });
      return last;
    },
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
};

/** The base URL of a process that printed its `url` or its `port`. */
export const urlOf = ({ ready }: Child): string =>
  typeof ready['url'] === 'string' ? ready['url'] : `http://127.0.0.1:${String(ready['port'])}`;
