import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** What is in a log that nobody wants to read there. */
export interface Remarks {
  readonly lines: number;
  /** Errors, and lines that are no JSON. */
  readonly bad: readonly string[];
  readonly private: readonly string[];
}

const privateText = /PTY-|Bearer|eyJ|moa=|http:\/\/|internal-upstream-detail/;

export const readLog = async (file: string): Promise<Remarks> => {
  let lines = 0;
  const bad: string[] = [];
  const told: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    lines++;
    if (privateText.test(line)) told.push(line);
    if (['error', undefined].includes(levelOf(line))) bad.push(line);
  }
  return { lines, bad, private: told };
};

const levelOf = (line: string): string | undefined => {
  try {
    return (JSON.parse(line) as { readonly level?: string }).level;
  } catch {
    return undefined;
  }
};
