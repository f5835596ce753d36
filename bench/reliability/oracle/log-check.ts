import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const privateData = /PTY-|Bearer|eyJ|moa=|http:\/\/|internal-upstream-detail/;

const isError = (line: string): boolean => {
  try {
    const { level } = JSON.parse(line) as { readonly level?: string };
    return level === undefined || level === 'error';
  } catch {
    return true;
  }
};

/** Counts the lines of a log; collects those of level "error" or that are not JSON, and those with private data. */
export const checkLog = async (file: string) => {
  const findings = { lines: 0, errors: [] as string[], private: [] as string[] };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    findings.lines++;
    if (privateData.test(line)) findings.private.push(line);
    if (isError(line)) findings.errors.push(line);
  }
  return findings;
};
