import { statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { type JourneyAccess, type TokenRequest, unauthenticated } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { type Call, stringOption } from '../program/call.ts';
import { readFileUpTo, readStdin } from './input.ts';
import { cliErrorOf } from '../output/failure-message.ts';
import { usageError, type CliError } from '../output/cli-error.ts';

/** The member's token, or the credentials to ask for one: from the environment, a file, stdin or a prompt (contract, section 7). */
export const accessOf = async (call: Call): Promise<Result<JourneyAccess, CliError>> => {
  const file = stringOption(call, 'tokenFile');
  const fromStdin = call.options['tokenStdin'] === true;
  if (file !== undefined && fromStdin) return err(usageError('Give --token-file or --token-stdin, not both.'));
  if (fromStdin) return (await readStdin(maxTokenBytes)).andThen((bytes) => tokenIn(bytes.toString(), 'stdin'));
  if (file !== undefined) return readTokenFile(file);
  const token = call.env['PORTICO_TOKEN']?.trim();
  return token ? ok({ token }) : credentialsOf(call);
};

/** Far more than any token may have, and little enough to read. */
const maxTokenBytes = 65_536;

const tokenIn = (text: string, where: string): Result<JourneyAccess, CliError> => {
  const token = text.trim();
  return token === ''
    ? err({
        ...cliErrorOf(unauthenticated('missing')),
        document: noToken(`There is no token in ${where}: it is empty.`),
      })
    : ok({ token });
};

const noToken = (detail: string) => ({ code: 'unauthenticated', detail });

/** Does not block: a pipe or a terminal may have nothing to read yet, and Ctrl-C must still work. */
const readTokenFile = async (file: string): Promise<Result<JourneyAccess, CliError>> =>
  (await readFileUpTo(file, maxTokenBytes)).andThen((bytes) => {
    if (process.platform !== 'win32' && ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
      process.stderr.write(`portico: warning: others can read the token in ${file}; chmod 600 ${file}\n`);
    return tokenIn(bytes.toString(), `the file ${file}`);
  });

/** The credentials for the token endpoint. Prompts on the terminal for those that are not in the environment. */
export const credentialsOf = async (call: Call): Promise<Result<TokenRequest, CliError>> => {
  const { env } = call;
  const clientSecret = env['PORTICO_CLIENT_SECRET'];
  const scope = stringOption(call, 'scope');
  const client = {
    clientId: stringOption(call, 'clientId') ?? (env['PORTICO_CLIENT_ID'] || 'portico-cli'),
    ...(clientSecret && { clientSecret }),
    ...(scope !== undefined && { scope }),
  };
  if (stringOption(call, 'grant') === 'client_credentials') return ok({ grant: 'client_credentials', ...client });
  const mayAsk = process.stdin.isTTY && process.stderr.isTTY;
  const known = { username: env['PORTICO_USERNAME'], password: env['PORTICO_PASSWORD'] };
  const unset = prompts.filter(({ name }) => !known[name]);
  const typed = mayAsk && unset.length > 0 ? await ask(unset, call.signal) : [];
  const valueOf = (name: Prompt['name']) => known[name] || typed[unset.findIndex((prompt) => prompt.name === name)];
  const username = valueOf('username');
  if (!username) return err(cliErrorOf(unauthenticated('missing')));
  const password = valueOf('password');
  if (!password)
    return err({
      exitCode: 5,
      document: noToken('There is a user name but no password.'),
      hint: 'Set PORTICO_PASSWORD, or run it on a terminal to be asked.',
    });
  return ok({ grant: 'password', ...client, username, password });
};

interface Prompt {
  readonly name: 'username' | 'password';
  readonly message: string;
  readonly isSecret: boolean;
}

const prompts: readonly Prompt[] = [
  { name: 'username', message: 'User name', isSecret: false },
  { name: 'password', message: 'Password', isSecret: true },
];

/**
 * Prompts on stderr, because stdout carries only the result, and returns the lines that were typed: fewer after an empty
 * line or Ctrl-D. A secret is not echoed. One interface reads all lines: a second one would lose what was pasted
 * together. A terminal in raw mode passes Ctrl-C as a key, so the signal is sent from here.
 */
const ask = (asked: readonly Prompt[], signal: AbortSignal): Promise<readonly string[]> =>
  new Promise((resolve) => {
    const lines: string[] = [];
    let isMuted = false;
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        if (!isMuted) process.stderr.write(chunk as Buffer);
        done();
      },
    });
    const terminal = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
    const promptForNext = () => {
      const prompt = asked[lines.length];
      if (!prompt) return terminal.close();
      terminal.setPrompt(`${prompt.message}: `);
      terminal.prompt();
      isMuted = prompt.isSecret;
    };
    terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    terminal.on('line', (line) => {
      lines.push(line);
      if (line === '') terminal.close();
      else promptForNext();
    });
    terminal.on('close', () => {
      if (isMuted) process.stderr.write('\n');
      resolve(lines);
    });
    signal.addEventListener('abort', () => terminal.close());
    promptForNext();
  });
