import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../command.ts';
import { fieldsIn } from '../../settings/setting-types.ts';

/** A sign-in that `portico login` saved. */
export interface SavedToken {
  readonly issuer: string;
  readonly clientId: string;
  readonly accessToken: string;
  /** Milliseconds since the epoch; absent when the provider did not report a lifetime. */
  readonly expiresAt?: number;
  readonly refreshToken?: string;
}

/**
 * Returns the path of the saved sign-in, or undefined without a home directory. A relative XDG_STATE_HOME is ignored (XDG
 * Base Directory Specification).
 */
export const savedTokenPath = (env: Environment): string | undefined => {
  const home = env['HOME'] || env['USERPROFILE'];
  const set = env['XDG_STATE_HOME'] ?? '';
  const state = isAbsolute(set) ? set : home ? join(home, '.local', 'state') : undefined;
  return state === undefined ? undefined : join(state, 'portico', 'token.json');
};

/** Reads the sign-in for an issuer. A missing or unreadable file, or another issuer, counts as no sign-in. */
export const readSavedToken = async (path: string, issuer: string): Promise<SavedToken | undefined> => {
  const saved = fieldsIn(await readFile(path, 'utf8').catch(() => ''));
  const isForIssuer = saved['issuer'] === issuer && typeof saved['accessToken'] === 'string';
  return isForIssuer ? (saved as unknown as SavedToken) : undefined;
};

/** Writes the sign-in to a file that only the user can read. */
export const writeSavedToken = (path: string, token: SavedToken): Promise<void> =>
  written(path, token, (part) => rename(part, path));

/** Rejects as `writeSavedToken` would. Writes as much to another file, and removes it. */
export const tryToSave = (path: string, token: SavedToken): Promise<void> => written(path, token, (part) => rm(part));

const written = async (path: string, token: SavedToken, use: (part: string) => Promise<void>): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, `${JSON.stringify(token)}\n`, { mode: 0o600, flag: 'wx' });
    // An umask does not add permissions, but the file must not lack the owner's.
    await chmod(part, 0o600);
    await use(part);
  } catch (error) {
    // Otherwise a copy of the token would remain that logout does not remove.
    await rm(part, { force: true });
    throw error;
  }
};

/** Removes the saved sign-in. */
export const removeSavedToken = (path: string): Promise<void> => rm(path, { force: true });
