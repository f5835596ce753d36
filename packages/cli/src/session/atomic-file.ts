import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod, readlink, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { fromThrowable } from 'neverthrow';
import { codeOf } from '../settings/file-problems.ts';

interface WriteSettings {
  /** The permissions of a new file; an existing file keeps its own. */
  readonly mode: number;
  readonly signal?: AbortSignal;
}

/**
 * Writes a temporary file and renames it, so that a failure or Ctrl-C leaves the file unchanged and no other file. A link is followed, not replaced. A pipe or device is written directly.
 */
export const writeAtomically = async (
  path: string,
  content: string | AsyncIterable<Uint8Array>,
  { mode, signal }: WriteSettings,
): Promise<void> => {
  const existing = await stat(path).catch(ignoreMissing);
  if (existing && !existing.isFile()) return writeFile(path, content, { signal });
  const file = existing ? await realpath(path) : await targetOf(path);
  const part = `${file}.${randomUUID()}.part`;
  const removePart = () => fromThrowable(rmSync)(part, { force: true });
  // After Ctrl-C, the process may have to end before the writing does. A part contains a member's data.
  process.on('exit', removePart);
  try {
    await writeFile(part, content, { flag: 'wx', mode, flush: true, signal });
    if (existing) await chmod(part, existing.mode & 0o777);
    await rename(part, file);
  } catch (error) {
    removePart();
    throw error;
  } finally {
    process.off('exit', removePart);
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
