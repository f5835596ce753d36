import { rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/** Removes a settings file, and its folder unless other files are in it. */
export const removeSettings = (file: string): void => {
  rmSync(file, { force: true });
  try {
    rmdirSync(dirname(file));
  } catch {
    // Another process has its settings in the folder, or has removed it.
  }
};
