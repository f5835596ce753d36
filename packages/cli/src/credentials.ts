import { readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { type JourneyAccess, type TokenRequest, unauthenticated } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { type Call, textOf } from './call.ts';
import { refusalOf } from './exit-code.ts';
import { codeOf, readStdin } from './input.ts';
import { misuse, type Refusal } from './refusal.ts';

/** The member's token, or the credentials to ask for one: from the environment, a file, stdin or a prompt (contract, section 7). */
export const accessOf = async (call: Call): Promise<Result<JourneyAccess, Refusal>> => {
  const file = textOf(call, 'tokenFile');
  const fromStdin = call.options['tokenStdin'] === true;
  if (file !== undefined && fromStdin) return err(misuse('Give --token-file or --token-stdin, not both.'));
  if (fromStdin) return (await readStdin(maxTokenBytes)).andThen((bytes) => tokenIn(bytes.toString(), 'stdin'));
  if (file !== undefined) return readTokenFile(file);
  const token = call.env['PORTICO_TOKEN']?.trim();
  return token ? ok({ token }) : credentialsOf(call);
};

/** Far more than any token may have, and little enough to read. */
const maxTokenBytes = 65_536;

const tokenIn = (text: string, where: string): Result<JourneyAccess, Refusal> => {
  const token = text.trim();
  return token === ''
    ? err({
        ...refusalOf(unauthenticated('missing')),
        document: noToken(`There is no token in ${where}: it is empty.`),
      })
    : ok({ token });
};

const noToken = (detail: string) => ({ code: 'unauthenticated', detail });

const readTokenFile = (file: string): Result<JourneyAccess, Refusal> => {
  try {
    const { mode, size } = statSync(file);
    if (size > maxTokenBytes) return err(misuse(`The token file ${file} holds more than a token.`));
    const text = readFileSync(file, 'utf8');
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      process.stderr.write(`portico: warning: others can read the token in ${file}; chmod 600 ${file}\n`);
    return tokenIn(text, `the file ${file}`);
  } catch (error) {
    return err(misuse(`The token file ${file} cannot be read (${codeOf(error)}).`));
  }
};

/** What to ask the token endpoint with. Asks on the terminal for what the environment does not say. */
export const credentialsOf = async (call: Call): Promise<Result<TokenRequest, Refusal>> => {
  const { env } = call;
  const clientSecret = env['PORTICO_CLIENT_SECRET'];
  const scope = textOf(call, 'scope');
  const client = {
    clientId: textOf(call, 'clientId') ?? (env['PORTICO_CLIENT_ID'] || 'portico-cli'),
    ...(clientSecret && { clientSecret }),
    ...(scope !== undefined && { scope }),
  };
  if (textOf(call, 'grant') === 'client_credentials') return ok({ grant: 'client_credentials', ...client });
  const mayAsk = process.stdin.isTTY && process.stderr.isTTY;
  const username = env['PORTICO_USERNAME'] || (mayAsk ? await ask('User name', call.signal) : undefined);
  if (!username) return err(refusalOf(unauthenticated('missing')));
  const password =
    env['PORTICO_PASSWORD'] || (mayAsk ? await ask('Password', call.signal, { isSecret: true }) : undefined);
  if (!password)
    return err({
      exitCode: 5,
      document: noToken('There is a user name but no password.'),
      hint: 'Set PORTICO_PASSWORD, or run it on a terminal to be asked.',
    });
  return ok({ grant: 'password', ...client, username, password });
};

/**
 * Asks on stderr, because stdout carries only the answer; a secret is not echoed. Ctrl-D leaves it unanswered; Ctrl-C,
 * a key to a raw terminal, becomes the signal that it would have been.
 */
const ask = (message: string, signal: AbortSignal, { isSecret = false } = {}): Promise<string | undefined> =>
  new Promise((resolve) => {
    let isMuted = false;
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        if (!isMuted) process.stderr.write(chunk as Buffer);
        done();
      },
    });
    const terminal = createInterface({ input: process.stdin, output, terminal: true });
    const finish = (answer: string | undefined) => {
      resolve(answer);
      terminal.close();
    };
    terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    terminal.on('close', () => {
      if (isSecret) process.stderr.write('\n');
      resolve(undefined);
    });
    signal.addEventListener('abort', () => terminal.close());
    terminal.question(`${message}: `, finish);
    isMuted = isSecret;
  });
