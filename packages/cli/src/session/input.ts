import { open } from 'node:fs/promises';
import { createInterface, type Interface, type ReadLineOptions } from 'node:readline';
import type { Json } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';
import type { CommandContext } from './command.ts';
import { usageError, type CliError } from '../output/cli-error.ts';
import { codeOf, syntaxProblem } from '../settings/file-problems.ts';

/** Reads JSON from a file, or from stdin for `-`. The limit is `limits.maxRequestBytes`, as in the server. */
export const readJsonInput = async (context: CommandContext, file: string): Promise<Result<Json, CliError>> => {
  const { maxRequestBytes } = context.loaded.settings.limits;
  if (file === '-' && context.options['tokenStdin'] === true)
    return err(
      usageError(
        'The access token and the request body cannot both be read from stdin.',
        'Read one of them from a file.',
      ),
    );
  const source = file === '-' ? 'stdin' : file;
  const bytes = file === '-' ? await readStdin(maxRequestBytes) : await readFileUpTo(file, maxRequestBytes);
  return bytes.andThen((bytes) => parseJson(bytes, source));
};

const parseJson = (bytes: Uint8Array, source: string): Result<Json, CliError> => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return ok({ text, value: JSON.parse(text) as unknown });
  } catch (error) {
    const problem = bytes.length === 0 ? 'is empty' : syntaxProblem(error);
    return err(usageError(`${source} ${problem}.`, 'Expected a JSON object in UTF-8.'));
  }
};

export const readStdin = (maxBytes: number): Promise<Result<Buffer, CliError>> =>
  readUpTo(maxBytes, process.stdin as AsyncIterable<Buffer>, 'stdin');

export const readFileUpTo = async (file: string, maxBytes: number): Promise<Result<Buffer, CliError>> => {
  try {
    await using handle = await open(file);
    return await readUpTo(maxBytes, handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>, file);
  } catch (error) {
    return err(usageError(`Cannot read ${file} (${codeOf(error)}).`));
  }
};

const readUpTo = async (
  maxBytes: number,
  stream: AsyncIterable<Buffer>,
  source: string,
): Promise<Result<Buffer, CliError>> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxBytes) return err(usageError(`${source} is larger than the limit of ${maxBytes} bytes.`));
      chunks.push(chunk);
    }
    return ok(Buffer.concat(chunks, size));
  } catch (error) {
    return err(usageError(`Cannot read ${source} (${codeOf(error)}).`));
  }
};

/** Reads lines from the terminal until the signal aborts. */
export const openTerminal = (
  output: NodeJS.WritableStream,
  signal: AbortSignal,
  options: Omit<ReadLineOptions, 'input'> = {},
): Interface => {
  // With the default of 100 ms, a pasted "\r\n" whose halves arrive further apart would be an empty second line.
  const terminal = createInterface({ input: process.stdin, output, crlfDelay: Infinity, ...options });
  // A terminal in raw mode passes Ctrl-C as a key.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // readline stops reading at Ctrl-Z.
  terminal.on('SIGCONT', () => terminal.resume());
  signal.addEventListener('abort', () => terminal.close());
  return terminal;
};
