import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { run } from './run.ts';

export type Environment = Readonly<Record<string, string>>;

export interface Ended {
  /** As in a shell: 128 plus the signal's number after a signal. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Stdout as bytes. */
  readonly bytes: Buffer;
}

/** What one command uses instead of stdin, stdout and stderr of this process: tests run concurrently. */
interface Streams {
  readonly stdin: Readable;
  readonly stdout: Buffer[];
  readonly stderr: Buffer[];
  readonly isTerminal: boolean;
}

const streams = new AsyncLocalStorage<Streams>();

// Each command that runs in this process listens for Ctrl-C.
process.setMaxListeners(100);

/** Redirects writes to the command that made them. Elsewhere the stream is as before. */
const redirect = (name: 'stdout' | 'stderr') => {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...args: readonly unknown[]) => boolean;
  const { isTTY } = stream;
  stream.write = (...args: readonly unknown[]): boolean => {
    const own = streams.getStore();
    if (!own) return write(...args);
    const bytes = Buffer.from(args[0] as string | Uint8Array);
    own[name].push(own.isTerminal ? Buffer.from(bytes.toString().replaceAll('\n', '\r\n')) : bytes);
    return true;
  };
  Object.defineProperty(stream, 'isTTY', { configurable: true, get: () => streams.getStore()?.isTerminal ?? isTTY });
};
redirect('stdout');
redirect('stderr');

const ownStdin = Object.getOwnPropertyDescriptor(process, 'stdin')?.get;
Object.defineProperty(process, 'stdin', {
  configurable: true,
  get: (): unknown => streams.getStore()?.stdin ?? ownStdin?.call(process),
});

const runWith = (args: readonly string[], env: Environment, own: Streams): Promise<Ended> =>
  streams.run(own, async () => {
    const exitCode = await run(args, env);
    const bytes = Buffer.concat(own.stdout);
    return { exitCode, stdout: bytes.toString(), stderr: Buffer.concat(own.stderr).toString(), bytes };
  });

/** Runs the command in this process, with stdout and stderr in two pipes. */
export const porticoHere = (args: readonly string[], env: Environment, input: string | Uint8Array): Promise<Ended> =>
  runWith(args, env, {
    stdin: Readable.from(input.length === 0 ? [] : [Buffer.from(input)]),
    stdout: [],
    stderr: [],
    isTerminal: false,
  });

/** Runs the command in this process as on a terminal: stdout is what the terminal shows, of stdout and stderr. */
export const porticoOnTerminal = (args: readonly string[], env: Environment = {}): Promise<Ended> => {
  const shown: Buffer[] = [];
  return runWith(args, env, { stdin: Readable.from([]), stdout: shown, stderr: shown, isTerminal: true });
};
