import { rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { codeOf } from '../../settings/file-problems.ts';

/** Longer than a refresh can take: a lock of this age belongs to a process that was killed. */
const staleMs = 30_000;
export const retryMs = 50;

/**
 * Runs work that no other command runs for the same file at the same time. Two commands that use the same refresh token
 * would make a provider that rotates refresh tokens end the sign-in (RFC 9700, section 4.14.2). Without a lock, such as in a
 * read-only directory, the work does not run: `failure` gets the error, which is undefined after an interrupt.
 */
export const whileLocked = async <T>(
  file: string,
  signal: AbortSignal,
  work: () => Promise<T>,
  failure: (error: unknown) => T,
): Promise<T> => {
  const lock = `${file}.lock`;
  try {
    if (!(await acquired(lock, signal))) return failure(undefined);
  } catch (error) {
    return failure(error);
  }
  const own = identityOf(lock);
  // A process that was suspended for long may have lost its lock to another one.
  const release = () => {
    if (identityOf(lock) === own) rmSync(lock, { force: true });
  };
  // A command that was interrupted exits without the `finally`.
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
};

/** Differs for a file that replaced this one. */
const identityOf = (lock: string): string => {
  const file = statSync(lock, { bigint: true, throwIfNoEntry: false });
  return `${file?.ino}:${file?.ctimeNs}`;
};

/** False after an interrupt. Rejects if there can be no lock. */
const acquired = async (lock: string, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    try {
      // At once: a signal meanwhile would end the command and leave the lock.
      writeFileSync(lock, '', { mode: 0o600, flag: 'wx' });
      return true;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    if (!isStale(lock) || !removeStale(lock)) await setTimeout(retryMs);
  }
  return false;
};

/** A lock dated in the future is stale, too: the clock was set back. */
const isStale = (lock: string): boolean => {
  const file = statSync(lock, { throwIfNoEntry: false });
  return file !== undefined && Math.abs(Date.now() - file.mtimeMs) > staleMs;
};

/**
 * Removes a stale lock, one command at a time: a slower one would remove the new lock of a faster one. False when another
 * command is doing so. The calls are synchronous, so that no signal comes between them.
 */
const removeStale = (lock: string): boolean => {
  const guard = `${lock}.stale`;
  // Only if a command was killed between the calls below.
  if (isStale(guard)) rmSync(guard, { force: true });
  try {
    writeFileSync(guard, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    if (isStale(lock)) rmSync(lock, { force: true });
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
};
