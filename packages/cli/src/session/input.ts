import { open } from 'node:fs/promises';
import type { Json } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import type { Call } from '../program/call.ts';
import { usageError, type CliError } from '../output/cli-error.ts';

/** The JSON in a file, or on stdin when the name is `-`: of at most `limits.maxRequestBytes`, as the server takes it. */
export const readJsonInput = async (call: Call, file: string): Promise<Result<Json, CliError>> => {
  const { maxRequestBytes } = call.loaded.settings.limits;
  if (file === '-' && call.options['tokenStdin'] === true)
    return err(usageError('Both the token and the body are to come from stdin.', 'Put one of them into a file.'));
  const where = file === '-' ? 'stdin' : file;
  const bytes = file === '-' ? await readStdin(maxRequestBytes) : await readFileUpTo(file, maxRequestBytes);
  return bytes.andThen((bytes) => parseJson(bytes, where));
};

const parseJson = (bytes: Uint8Array, where: string): Result<Json, CliError> => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return ok({ text, value: JSON.parse(text) as unknown });
  } catch (error) {
    // Only the place: the parser's own words quote the input.
    const [place] = /line \d+ column \d+/.exec(String(error)) ?? [];
    const what = bytes.length === 0 ? 'is empty' : `is not JSON${place ? ` (${place})` : ''}`;
    return err(usageError(`What came from ${where} ${what}.`, 'A JSON object in UTF-8 is wanted.'));
  }
};

export const readStdin = (maxBytes: number): Promise<Result<Buffer, CliError>> =>
  readUpTo(maxBytes, process.stdin as AsyncIterable<Buffer>, 'stdin');

export const readFileUpTo = async (file: string, maxBytes: number): Promise<Result<Buffer, CliError>> => {
  try {
    await using handle = await open(file);
    return await readUpTo(maxBytes, handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>, file);
  } catch (error) {
    return err(usageError(`${file} cannot be read (${codeOf(error)}).`));
  }
};

const readUpTo = async (
  maxBytes: number,
  source: AsyncIterable<Buffer>,
  where: string,
): Promise<Result<Buffer, CliError>> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) return err(usageError(`${where} holds more than the ${maxBytes} bytes that are taken.`));
      chunks.push(chunk);
    }
    return ok(Buffer.concat(chunks, size));
  } catch (error) {
    return err(usageError(`${where} cannot be read (${codeOf(error)}).`));
  }
};

/** The system's code for what went wrong (`ENOENT`), which says enough and quotes nothing. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';
