import { rmSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

/** Longer than a refresh can take: a lock of this age belongs to a process that was killed. */
const staleMs = 30_000;
const retryMs = 50;

/**
 * Runs work that no other command runs for the same file at the same time. Two commands that use the same refresh token
 * would make a provider that rotates refresh tokens end the sign-in (RFC 9700, section 4.14.2).
 */
export const whileLocked = async <T>(file: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
  const lock = `${file}.lock`;
  if (!(await acquired(lock, signal))) return work();
  const release = () => rmSync(lock, { force: true });
  // A command that was interrupted exits without the `finally`.
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
};

/** False when there can be no lock, such as in a read-only directory, and after an interrupt. */
const acquired = async (lock: string, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    try {
      await writeFile(lock, '', { mode: 0o600, flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
    const since = await stat(lock).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - since > staleMs) await rm(lock, { force: true });
    else await setTimeout(retryMs);
  }
  return false;
};
