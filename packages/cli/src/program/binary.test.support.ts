import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:os';
import { join } from 'node:path';
import { buffer as bodyOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { graceMs } from '../session/interrupt.ts';
import { type Ended, type Environment, porticoHere } from './in-process.test.support.ts';
import {
  directory,
  identityProvider,
  memberEnvironment,
  sendJson,
  type Test,
  webServer,
} from './outside-world.test.support.ts';

export type { Ended, Environment, Test };
export { bodyOf, directory };

/**
 * The command as `bin/portico.js` starts it: bundled from the sources (tools/bundled-command.ts), or the sources. With a
 * large new space, the heap of a short command is hardly ever collected, which saves a fifth of its processor time.
 */
export const nodeArguments: readonly string[] = [
  '--min-semi-space-size=16',
  ...(process.env['PORTICO_MAIN']
    ? [process.env['PORTICO_MAIN']]
    : ['--conditions=@portico/source', fileURLToPath(new URL('../main.ts', import.meta.url))]),
];

/** Shared compile cache, so that child processes do not compile the sources again. */
const compileCache = fileURLToPath(new URL('../../../../node_modules/.cache/portico-tests', import.meta.url));

export interface Started {
  readonly env?: Environment;
  /** Content of stdin; empty by default. Null: stdin stays open and the test writes to it. */
  readonly input?: string | Uint8Array | null;
}

/** Starts a program, collects its output, and kills it at the end of the test. */
export const start = (test: Test, command: string, args: readonly string[], { env = {}, input = '' }: Started = {}) => {
  const child = spawn(command, args, { env: { NODE_COMPILE_CACHE: compileCache, ...env }, stdio: 'pipe' });
  const closed = once(child, 'close') as Promise<[exitCode: number | null, signal: NodeJS.Signals | null]>;
  test.onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  // The program may end before it reads all of stdin.
  child.stdin.on('error', () => {});
  if (input !== null) child.stdin.end(input);
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const text = (name: keyof typeof output) => Buffer.concat(output[name]).toString();
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      output[name].push(chunk);
      for (const check of listeners) check();
    });
  const ended = closed.then(([exitCode, signal]): Ended => ({
    exitCode: exitCode ?? 128 + constants.signals[signal!],
    stdout: text('stdout'),
    stderr: text('stderr'),
    bytes: Buffer.concat(output.stdout),
  }));
  /** Resolves with the output as soon as the part after its first `after` characters matches. */
  const until = (name: keyof typeof output, pattern: RegExp, after = 0) =>
    new Promise<string>((resolve, reject) => {
      const check = () => {
        const received = text(name);
        if (pattern.test(received.slice(after))) resolve(received);
      };
      listeners.add(check);
      check();
      void ended.then(() => reject(new Error(`ended without printing ${pattern}: ${text('stdout')}${text('stderr')}`)));
    });
  /** Sends a signal and waits for the exit. */
  const interrupt = (signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM' = 'SIGINT') => {
    child.kill(signal);
    return ended;
  };
  return { child, ended, until, interrupt };
};

/** Starts the command. A string of arguments is split at spaces; arguments in an array may contain spaces. */
export const startPortico = (test: Test, args: string | readonly string[], started: Started = {}) =>
  start(test, process.execPath, [...nodeArguments, ...(typeof args === 'string' ? args.split(' ') : args)], started);

/** Runs the command in a child process. */
export const porticoProcess = (test: Test, args: string | readonly string[], started: Started = {}): Promise<Ended> =>
  startPortico(test, args, started).ended;

/**
 * Runs the command: in this process, which takes a tenth of the time, unless it needs a child process (for an injected
 * bug, because it streams to stdout, or because it observes all requests of its process).
 */
export const portico = (test: Test, args: string | readonly string[], started: Started = {}): Promise<Ended> => {
  const list = typeof args === 'string' ? args.split(' ') : args;
  const { env = {}, input } = started;
  const streamsToStdout = /documents get (?!.*(-o|--output) [^-])/.test(`${list.join(' ')} `);
  const needsProcess = streamsToStdout || input === null || 'NODE_OPTIONS' in env || list.includes('--verbose');
  return needsProcess ? porticoProcess(test, list, started) : porticoHere(list, env, input ?? '');
};

/** Starts a shell script that can call `portico`. */
export const inShell = (test: Test, script: string, { env = {}, ...started }: Started = {}) =>
  start(test, 'bash', ['--norc', '-c', `${declared}\n${script}`], {
    ...started,
    env: { ...shellEnvironment(), ...env },
  });

const declared = `portico() { "$NODE" ${nodeArguments.map((argument) => `'${argument}'`).join(' ')} "$@"; }`;

const shellEnvironment = () => ({ PATH: process.env['PATH'] ?? '', NODE: process.execPath });

/** The program that creates a terminal. */
const terminal = 'script';

/** Why tests cannot create a terminal: they need `script` from util-linux; other systems have a different one. */
export const noTerminal = (() => {
  const { stdout } = spawnSync(terminal, ['--version'], { encoding: 'utf8' });
  return stdout?.includes('util-linux') ? undefined : 'script from util-linux is not installed';
})();

/** Starts a shell script that can call `portico`, in a new terminal. Stdout is what the terminal shows. */
export const inTerminal = (
  test: Test,
  script: string,
  { columns = 80, env = {} }: { columns?: number; env?: Environment },
) => {
  const file = fileWith(test, `stty cols ${columns} rows 24\n${declared}\n${script}\n`);
  const started = start(test, terminal, ['--quiet', '--return', '--command', `bash --norc ${file}`, '/dev/null'], {
    input: null,
    env: { ...shellEnvironment(), TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
  });
  /** Types these keys as soon as the terminal shows this. */
  const type = async (shown: RegExp, keys: string): Promise<void> => {
    await started.until('stdout', shown);
    started.child.stdin.write(keys);
  };
  return { ...started, type };
};

/** Removes colours and other escape sequences from terminal output. */
export const plain = (shown: string): string => stripVTControlCharacters(shown).replaceAll('\r\n', '\n');

/** Creates a file that is removed after the test. */
export const fileWith = (test: Test, content: string | Uint8Array, { name = 'file', mode = 0o600 } = {}): string => {
  const path = join(directory(test), name);
  writeFileSync(path, content, { mode });
  return path;
};

export type RequestHandler = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts an identity provider and one server for all services, and returns the environment of a member with a token. */
export const memberSetup = async (
  test: Test,
  handle: RequestHandler = (response) => sendJson(response, { locator: 'COV-1' }),
) => {
  const identity = await identityProvider(test);
  const service = await webServer(test, handle);
  const withoutToken = memberEnvironment(identity.issuer, service.url);
  return { identity, service, withoutToken, env: { ...withoutToken, PORTICO_TOKEN: identity.token() } };
};

/** Starts a token endpoint that records the received forms. */
export const tokenEndpoint = async (test: Test, handle: (response: ServerResponse, form: URLSearchParams) => void) => {
  const forms: Readonly<Record<string, string>>[] = [];
  const { url } = await webServer(test, (response, request) => {
    void bodyOf(request).then((body) => {
      const form = new URLSearchParams(body.toString());
      forms.push(Object.fromEntries(form));
      handle(response, form);
    });
  });
  return { url, forms };
};

/** Sends a JSON response with a status. */
export const sendStatus = (response: ServerResponse, status: number, body: unknown = {}): void => {
  response.statusCode = status;
  sendJson(response, body);
};

/** Parses stdout, which is exactly one document with `--json`. */
export const documentIn = ({ stdout }: Pick<Ended, 'stdout'>): unknown => JSON.parse(stdout) as unknown;

const patience = `
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (run, ms, ...args) => setTimeout(run, ms === ${graceMs} ? 60_000 : ms, ...args);
`;
/** Environment of a command that has a minute to clean up after an interrupt: a slow machine needs longer. */
export const patient = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(patience)}` };
