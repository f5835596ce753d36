import { statSync } from 'node:fs';
import { Writable } from 'node:stream';
import { transportOf } from '@portico/adapters-http';
import { type JourneyAccess, type TokenRequest, unauthenticated } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import { proxyOf } from '../connection/connections.ts';
import { type CommandContext, stringOption } from './command.ts';
import { openTerminal, readFileUpTo, readStdin } from './input.ts';
import { expired, type LoginClient, refresh } from './login/device-login.ts';
import { readSavedToken, type SavedToken, savedTokenPath, tryToSave, writeSavedToken } from './login/saved-token.ts';
import { whileLocked } from './login/token-lock.ts';
import { type IdentityProvider, signInProvider } from '../settings/sections/identity-schema.ts';
import { claimsIn } from '../settings/setting-types.ts';
import { cliErrorOf, signInError } from '../output/failure-message.ts';
import { environmentError, usageError, type CliError } from '../output/cli-error.ts';
import { codeOf } from '../settings/file-problems.ts';
import { uninterrupted } from './interrupt.ts';
import { loginDefaults } from './option-defaults.ts';

/** Returns the access token or the credentials: from the environment, a file, stdin or a prompt (contract, section 7). */
export const accessOf = async (context: CommandContext): Promise<Result<JourneyAccess, CliError>> => {
  const token = await tokenOf(context);
  if (token.isErr()) return err(token.error);
  if (token.value !== undefined) return ok({ token: token.value });
  return (await savedAccess(context)) ?? credentialsOf(context);
};

/** Returns the access token of the command, if there is one. */
export const tokenOf = async (context: CommandContext): Promise<Result<string | undefined, CliError>> => {
  const file = stringOption(context, 'tokenFile');
  const fromStdin = context.options['tokenStdin'] === true;
  if (file !== undefined && fromStdin) return err(usageError('Use either --token-file or --token-stdin, not both.'));
  if (fromStdin) return (await readStdin(maxTokenBytes)).andThen((bytes) => parseToken(bytes.toString(), 'stdin'));
  if (file !== undefined) return readTokenFile(file);
  // A flag wins over the environment.
  if (stringOption(context, 'grant') === 'client_credentials') return ok(undefined);
  return ok(context.env['PORTICO_TOKEN']?.trim() || undefined);
};

/** Returns the token that `portico login` saved, refreshed if it has expired. Credentials in the environment win. */
const savedAccess = async (context: CommandContext): Promise<Result<JourneyAccess, CliError> | undefined> => {
  const { env, loaded } = context;
  const issuer = signInProvider(loaded.settings)?.issuer;
  // Also if they are empty, as of a failed $(portico token): they must not become the sign-in of another member.
  const isGiven = ['PORTICO_TOKEN', 'PORTICO_USERNAME', 'PORTICO_PASSWORD'].some((name) => env[name] !== undefined);
  if (issuer === undefined || isGiven || stringOption(context, 'grant') === 'client_credentials') return undefined;
  const path = savedTokenPath(env);
  if (path === undefined) return undefined;
  const saved = await readSavedToken(path, issuer);
  if (saved === undefined) return undefined;
  return (
    usable(saved) ??
    (await whileLocked(
      path,
      context.signal,
      () => uninterrupted(refreshedAccess(context, issuer, path)),
      (error) => err(cannotSave(path, error)),
    ))
  );
};

/** Returns the token if it has not expired, and a failure if it cannot be refreshed. */
const usable = ({
  accessToken,
  expiresAt = expiryOf(accessToken),
  refreshToken,
}: SavedToken): Result<JourneyAccess, CliError> | undefined => {
  if (expiresAt === undefined || expiresAt > Date.now()) return ok({ token: accessToken });
  return refreshToken === undefined ? err(expired) : undefined;
};

/** The `exp` of a JWT in milliseconds, for a provider that reports no lifetime: it need not (RFC 6749, section 5.1). */
const expiryOf = (token: string): number | undefined => {
  const { exp } = claimsIn(token);
  return typeof exp === 'number' ? exp * 1000 : undefined;
};

/** Refreshes the saved token, unless another command did so in the meantime. Only one command at a time runs this. */
const refreshedAccess = async (
  context: CommandContext,
  issuer: string,
  path: string,
): Promise<Result<JourneyAccess, CliError>> => {
  const saved = await readSavedToken(path, issuer);
  if (saved === undefined) return err(expired);
  const access = usable(saved);
  if (access !== undefined) return access;
  try {
    await tryToSave(path, saved);
  } catch (error) {
    return err(cannotSave(path, error));
  }
  const { clientSecret, ...client } = loginClientOf(context, issuer);
  const given = givenClientId(context);
  const isOther = given !== undefined && given !== saved.clientId;
  const refreshed = await refresh(
    // The secret of another client would be refused, and would leave the client that it belongs to.
    { ...client, clientId: saved.clientId, ...(!isOther && clientSecret !== undefined && { clientSecret }) },
    saved,
    context.signal,
  );
  if (refreshed.isErr()) return err(refreshed.error);
  // A logout or another login during the refresh wins.
  const latest = await readSavedToken(path, issuer);
  if (latest?.accessToken === saved.accessToken && latest.refreshToken === saved.refreshToken)
    await writeSavedToken(path, refreshed.value).catch((error: unknown) => warnUnsaved(path, error));
  return ok({ token: refreshed.value.accessToken });
};

/** The provider may replace the refresh token: without the new one, the sign-in would be lost. */
const cannotSave = (path: string, error: unknown): CliError =>
  environmentError(
    `The saved sign-in has expired, and a new token cannot be saved: cannot write ${path} (${codeOf(error)}).`,
    'Make its directory writable, or use PORTICO_TOKEN.',
    error,
  );

/** A new token that cannot be saved still works for this command. */
const warnUnsaved = (path: string, error: unknown): void => {
  process.stderr.write(
    `portico: warning: Cannot write ${path} (${codeOf(error)}). The next command needs a new sign-in: run "portico login".\n`,
  );
};

/** Returns the provider that members sign in with. */
export const providerOf = ({ loaded }: CommandContext): Result<IdentityProvider, CliError> => {
  const provider = signInProvider(loaded.settings);
  return provider
    ? ok(provider)
    : err(usageError('No identity provider is configured.', 'Set identity.issuer (IDENTITY_ISSUER).'));
};

const givenClientId = (context: CommandContext): string | undefined =>
  stringOption(context, 'clientId') ?? (context.env['PORTICO_CLIENT_ID'] || undefined);

/** Returns the OAuth client of the command. */
const clientOf = (context: CommandContext) => {
  const clientSecret = context.env['PORTICO_CLIENT_SECRET'];
  const scope = stringOption(context, 'scope');
  return {
    clientId: givenClientId(context) ?? loginDefaults.clientId,
    ...(clientSecret && { clientSecret }),
    ...(scope !== undefined && { scope }),
  };
};

/** Returns the OAuth client of a sign-in, with the connection to its provider. */
export const loginClientOf = (context: CommandContext, issuer: string): LoginClient => ({
  ...clientOf(context),
  issuer,
  transport: transportOf(proxyOf(context.loaded.settings.proxy)),
});

/** Much larger than any token, and small enough to read into memory. */
const maxTokenBytes = 65_536;

const parseToken = (content: string, source: string): Result<string, CliError> => {
  const token = content.trim();
  return token === '' ? err(signInError(`The access token is missing: ${source} is empty.`)) : ok(token);
};

/** Reads without blocking: the file may be a pipe or terminal without data yet, and Ctrl-C must still work. */
const readTokenFile = async (file: string): Promise<Result<string, CliError>> =>
  (await readFileUpTo(file, maxTokenBytes)).andThen((bytes) => {
    if (process.platform !== 'win32' && ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
      process.stderr.write(
        `portico: warning: Other users can read the access token in ${file}. Run: chmod 600 ${file}\n`,
      );
    return parseToken(bytes.toString(), `the file ${file}`);
  });

/** Returns the credentials for the token endpoint. On a terminal, prompts for those that the environment does not set. */
export const credentialsOf = async (context: CommandContext): Promise<Result<TokenRequest, CliError>> => {
  const { env } = context;
  const client = clientOf(context);
  if (stringOption(context, 'grant') === 'client_credentials') return ok({ grant: 'client_credentials', ...client });
  const canPrompt = process.stdin.isTTY && process.stderr.isTTY;
  const known = { username: env['PORTICO_USERNAME'], password: env['PORTICO_PASSWORD'] };
  const unset = prompts.filter(({ name }) => !known[name]);
  const typed = canPrompt && unset.length > 0 ? await readLines(unset, context.signal) : [];
  const valueOf = (name: Prompt['name']) => known[name] || typed[unset.findIndex((prompt) => prompt.name === name)];
  const username = valueOf('username');
  if (!username)
    return err(
      known.username === undefined && known.password === undefined
        ? cliErrorOf(unauthenticated('missing'))
        : noUserName,
    );
  const password = valueOf('password');
  if (!password)
    return err(
      signInError('The password is missing.', 'Set PORTICO_PASSWORD, or run the command on a terminal to be prompted.'),
    );
  return ok({ grant: 'password', ...client, username, password });
};

const noUserName = signInError(
  'The user name is missing.',
  'Set PORTICO_USERNAME, or unset it and PORTICO_PASSWORD to use the sign-in of "portico login".',
);

const prompts = [
  { name: 'username', message: 'User name', isSecret: false },
  { name: 'password', message: 'Password', isSecret: true },
] as const;
type Prompt = (typeof prompts)[number];

/**
 * Prompts on stderr, because stdout carries only the result, and returns the lines that were typed: fewer after an empty
 * line or Ctrl-D. A secret is not echoed. One interface reads all lines: with one per prompt, pasted lines would be lost.
 */
const readLines = (prompts: readonly Prompt[], signal: AbortSignal): Promise<readonly string[]> =>
  new Promise((resolve) => {
    const lines: string[] = [];
    let isMuted = false;
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        if (!isMuted) process.stderr.write(chunk as Buffer);
        done();
      },
    });
    const terminal = openTerminal(output, signal, { terminal: true, historySize: 0 });
    const promptForNext = () => {
      const prompt = prompts[lines.length];
      if (!prompt) return terminal.close();
      terminal.setPrompt(`${prompt.message}: `);
      terminal.prompt();
      isMuted = prompt.isSecret;
    };
    terminal.on('line', (line) => {
      lines.push(line);
      if (line === '') terminal.close();
      else promptForNext();
    });
    terminal.on('close', () => {
      if (isMuted) process.stderr.write('\n');
      resolve(lines);
    });
    promptForNext();
  });
