import { randomUUID } from 'node:crypto';
import { access, chmod, constants, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { codeOf } from '../settings/file-problems.ts';

interface WriteSettings {
  /** The permissions of a new file; an existing file keeps its own. */
  readonly mode: number;
  readonly signal?: AbortSignal;
}

/**
 * Writes a temporary file and renames it, so that a failure leaves the file unchanged. A link is followed, not replaced. A
 * pipe or device is written directly.
 */
export const writeAtomically = async (
  path: string,
  content: string | AsyncIterable<Uint8Array>,
  { mode, signal }: WriteSettings,
): Promise<void> => {
  const existing = await stat(path).catch(ignoreMissing);
  if (existing && !existing.isFile()) return writeFile(path, content, { signal });
  const file = existing ? await realpath(path) : await targetOf(path);
  // Renaming would also replace a file that must not be written.
  if (existing) await access(file, constants.W_OK);
  const part = `${file}.${randomUUID()}.part`;
  const removePart = () => rm(part, { force: true }).catch(() => {});
  // Immediately: the process may have to end before the writing does, and a part contains a member's data.
  signal?.addEventListener('abort', removePart, { once: true });
  try {
    await writeFile(part, content, { flag: 'wx', mode, flush: true, signal });
    if (existing) await chmod(part, existing.mode & 0o777);
    await rename(part, file);
  } catch (error) {
    await removePart();
    throw error;
  } finally {
    signal?.removeEventListener('abort', removePart);
  }
};

/** Ignores a missing file; rethrows all other errors. */
const ignoreMissing = (error: unknown): undefined => {
  if (codeOf(error) !== 'ENOENT') throw error;
};

/** Resolves a link whose target does not exist yet. Returns any other path unchanged. */
const targetOf = async (path: string): Promise<string> => {
  const target = await readlink(path).catch(() => undefined);
  if (target === undefined) return path;
  return targetOf(isAbsolute(target) ? target : `${await realpath(dirname(path))}/${target}`);
};
