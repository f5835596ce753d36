import { readFileSync, statSync } from 'node:fs';
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
  if (fromStdin)
    return (await readStdin(maxTokenBytes, call.signal)).andThen((bytes) => tokenIn(bytes.toString(), 'stdin'));
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
  const password = env['PORTICO_PASSWORD'] || (mayAsk ? await askSecretly('Password', call.signal) : undefined);
  if (!password)
    return err({
      exitCode: 5,
      document: noToken('There is a user name but no password.'),
      hint: 'Set PORTICO_PASSWORD, or run it on a terminal to be asked.',
    });
  return ok({ grant: 'password', ...client, username, password });
};

/** On stderr, because stdout carries only the answer. Ctrl-C leaves it unanswered. */
const ask = async (message: string, signal: AbortSignal): Promise<string | undefined> => {
  const { default: input } = await import('@inquirer/input');
  return input({ message }, { output: process.stderr, signal }).catch(interrupted);
};

const askSecretly = async (message: string, signal: AbortSignal): Promise<string | undefined> => {
  const { default: password } = await import('@inquirer/password');
  return password({ message, mask: true }, { output: process.stderr, signal }).catch(interrupted);
};

/** In a prompt the terminal is raw: Ctrl-C is a key, and becomes the signal that it would have been. */
const interrupted = (): undefined => {
  process.kill(process.pid, 'SIGINT');
};
