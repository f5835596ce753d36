import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopAll } from '../children.ts';
import { endServed } from './served.ts';

export const tell = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** The number that a flag was given. */
export const positive = (text: string): number => {
  const number = Number(text);
  if (!(number > 0 && number < Infinity)) throw new Error(`"${text}" is no positive number.`);
  return number;
};

/** Runs a test that says whether everything held, and ends this process and all that it started, whatever happens. */
export const runToEnd = async (test: (folder: string) => Promise<boolean>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-reliability-'));
  const end = (exitCode: number): never => {
    endServed();
    stopAll();
    rmSync(folder, { recursive: true, force: true });
    process.exit(exitCode);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end(1));
  try {
    end((await test(folder)) ? 0 : 1);
  } catch (error) {
    tell(String(error instanceof Error ? error.stack : error));
    end(1);
  }
};
