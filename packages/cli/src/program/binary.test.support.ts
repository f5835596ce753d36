import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { TestContext } from 'vitest';
import { run } from './run.ts';
import { identityProvider, memberEnvironment, sendJson, webServer } from './outside-world.test.support.ts';

export type Test = Pick<TestContext, 'onTestFinished'>;
export type Environment = Readonly<Record<string, string>>;

/** The command as `bin/portico.js` starts it: bundled from the sources (tools/bundled-command.ts), or the sources. */
export const nodeArguments: readonly string[] = process.env['PORTICO_MAIN']
  ? [process.env['PORTICO_MAIN']]
  : ['--conditions=@portico/source', fileURLToPath(new URL('../main.ts', import.meta.url))];

/** Compiled once and not by each of the many children. */
export const compileCache = fileURLToPath(new URL('../../../../node_modules/.cache/portico-tests', import.meta.url));

export interface Ended {
  /** As a shell says it: 128 and the signal's number when a signal ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Stdout as it came. */
  readonly bytes: Buffer;
}

export interface Started {
  readonly env?: Environment;
  /** What stdin holds; empty without it. Null: it stays open, and is written to by the test. */
  readonly input?: string | Uint8Array | null;
}

// Commands that run side by side in this process each listen for Ctrl-C.
process.setMaxListeners(100);

/** A program with its output taken down, dead by the end of the test whatever happens. */
export const start = (test: Test, command: string, args: readonly string[], { env = {}, input = '' }: Started = {}) => {
  const child = spawn(command, args, { env: { NODE_COMPILE_CACHE: compileCache, ...env }, stdio: 'pipe' });
  const closed = once(child, 'close') as Promise<[exitCode: number | null, signal: NodeJS.Signals | null]>;
  test.onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  // It may end before it has read everything.
  child.stdin.on('error', () => {});
  if (input !== null) child.stdin.end(input);
  const said = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const text = (name: keyof typeof said) => Buffer.concat(said[name]).toString();
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      said[name].push(chunk);
      for (const look of listeners) look();
    });
  const ended = closed.then(([exitCode, signal]): Ended => ({
    exitCode: exitCode ?? 128 + signalNumber[signal as keyof typeof signalNumber],
    stdout: text('stdout'),
    stderr: text('stderr'),
    bytes: Buffer.concat(said.stdout),
  }));
  /** Resolves with the output when what follows its first `after` characters matches. */
  const until = (name: keyof typeof said, pattern: RegExp, after = 0) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const output = text(name);
        if (pattern.test(output.slice(after))) resolve(output);
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without saying ${pattern}: ${text('stdout')}${text('stderr')}`)));
    });
  /** Sends a signal, and waits for the end. */
  const interrupt = (signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM' = 'SIGINT') => {
    child.kill(signal);
    return ended;
  };
  return { child, ended, until, interrupt };
};

const signalNumber = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15, SIGXFSZ: 25 };

/** The command, started. Arguments are separated by blanks; as a list they may hold some. */
export const startPortico = (test: Test, args: string | readonly string[], started: Started = {}) =>
  start(test, process.execPath, [...nodeArguments, ...(typeof args === 'string' ? args.split(' ') : args)], started);

/** The command in a process of its own, run to its end. */
export const porticoProcess = (test: Test, args: string | readonly string[], started: Started = {}): Promise<Ended> =>
  startPortico(test, args, started).ended;

/**
 * The command, run to its end: in this process, which is a third of a second faster, unless it needs one of its own
 * (for its stdin, for a bug that is planted, or because it streams to stdout).
 */
export const portico = (test: Test, args: string | readonly string[], started: Started = {}): Promise<Ended> => {
  const list = typeof args === 'string' ? args.split(' ') : args;
  const { env = {} } = started;
  const needsOwn =
    started.input !== undefined ||
    'NODE_OPTIONS' in env ||
    ['-', '--token-stdin', 'get'].some((one) => list.includes(one));
  return needsOwn ? porticoProcess(test, list, started) : porticoHere(list, env);
};

const said = new AsyncLocalStorage<{ readonly stdout: Buffer[]; readonly stderr: Buffer[] }>();

/** What is written goes to whichever command wrote it: tests run side by side. */
const listenTo = (name: 'stdout' | 'stderr') => {
  const write = process[name].write.bind(process[name]) as (...args: readonly unknown[]) => boolean;
  const heard = (...args: readonly unknown[]): boolean => {
    const own = said.getStore()?.[name];
    return own ? own.push(Buffer.from(args[0] as string | Uint8Array)) > 0 : write(...args);
  };
  process[name].write = heard;
};
listenTo('stdout');
listenTo('stderr');

const porticoHere = (args: readonly string[], env: Environment): Promise<Ended> => {
  const own = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  return said.run(own, async () => {
    const exitCode = await run(args, env);
    const bytes = Buffer.concat(own.stdout);
    return { exitCode, stdout: bytes.toString(), stderr: Buffer.concat(own.stderr).toString(), bytes };
  });
};

/** A shell script in which `portico` is the command. */
export const inShell = (test: Test, script: string, { env = {}, ...started }: Started = {}) =>
  start(test, 'bash', ['--norc', '-c', `${declared}\n${script}`], {
    ...started,
    env: { ...shellEnvironment(), ...env },
  });

const declared = `portico() { "$NODE" ${nodeArguments.map((argument) => `'${argument}'`).join(' ')} "$@"; }`;

const shellEnvironment = () => ({ PATH: process.env['PATH'] ?? '', NODE: process.execPath });

/** What gives a program a terminal of its own. */
const terminal = 'script';

/** Why there can be no terminal here: it takes the `script` of util-linux, which other systems have otherwise. */
export const noTerminal = (() => {
  const { stdout } = spawnSync(terminal, ['--version'], { encoding: 'utf8' });
  return stdout?.includes('util-linux') ? undefined : 'there is no script of util-linux here';
})();

/** A shell script in a terminal of its own, in which `portico` is the command. What it shows comes on stdout. */
export const inTerminal = (
  test: Test,
  script: string,
  { columns = 80, env = {} }: { columns?: number; env?: Environment },
) => {
  const file = fileWith(test, `stty cols ${columns} rows 24\n${declared}\n${script}\n`);
  return start(test, terminal, ['--quiet', '--return', '--command', `bash --norc ${file}`, '/dev/null'], {
    input: null,
    env: { ...shellEnvironment(), TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
  });
};

/** What a terminal shows, without colours. */
export const plain = (shown: string): string => stripVTControlCharacters(shown).replaceAll('\r\n', '\n');

/** A directory that lives as long as the test. */
export const directory = ({ onTestFinished }: Test): string => {
  const path = mkdtempSync(join(tmpdir(), 'portico-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return path;
};

/** A file that lives as long as the test. */
export const fileWith = (test: Test, content: string | Uint8Array, { name = 'file', mode = 0o600 } = {}): string => {
  const path = join(directory(test), name);
  writeFileSync(path, content, { mode });
  return path;
};

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A member with a token, whose services are all at one address and answer alike. */
export const memberSetup = async (
  test: Test,
  answer: Answer = (response) => sendJson(response, { locator: 'COV-1' }),
) => {
  const identity = await identityProvider(test);
  const service = await webServer(test, answer);
  // No test reaches this deadline: what ends before it did not wait for a service.
  const withoutToken = { ...memberEnvironment(identity.issuer, service.url), DOWNSTREAM_TIMEOUT_MS: '600000' };
  return { identity, service, withoutToken, env: { ...withoutToken, PORTICO_TOKEN: identity.token() } };
};

/** A token endpoint, and the forms that it was sent. */
export const tokenEndpoint = async (test: Test, answer: (response: ServerResponse, form: URLSearchParams) => void) => {
  const forms: Readonly<Record<string, string>>[] = [];
  const { url } = await webServer(test, (response, request) => {
    void bodyOf(request).then((body) => {
      const form = new URLSearchParams(body.toString());
      forms.push(Object.fromEntries(form));
      answer(response, form);
    });
  });
  return { url, forms };
};

/** An answer with a status. */
export const sendStatus = (response: ServerResponse, status: number, body: unknown = {}): void => {
  response.statusCode = status;
  sendJson(response, body);
};

export const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** The one document that `--json` promises. */
export const documentIn = ({ stdout }: Pick<Ended, 'stdout'>): unknown => JSON.parse(stdout) as unknown;
