import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type DocumentResponse, upstream, type UpstreamReason } from '@portico/core';
import { type Call, type CommandHandler, stringOption } from '../program/call.ts';
import { codeOf } from '../session/input.ts';
import { unlessAborted } from '../session/interrupt.ts';
import { listQuery } from '../session/list-query.ts';
import { progress } from '../output/progress.ts';
import { cliErrorOf } from '../output/failure-message.ts';
import { environmentError, usageError, type CliError, fail } from '../output/cli-error.ts';
import { asMember, signIn } from '../session/session.ts';
import { date, text } from '../output/field.ts';
import { showList } from '../output/view.ts';

export const listDocuments: CommandHandler = (call) =>
  asMember(
    call,
    ({ use, member }) => use.listDocuments(member, listQuery(call)),
    showList('documents', [text('locator'), text('type'), text('title'), date('date')], 'No documents.'),
  );

/** Streams one document to stdout or to a file, which then has the whole document or is left as it was. */
export const getDocument: CommandHandler = async (call) => {
  const [locator = ''] = call.args;
  const output = stringOption(call, 'output') ?? '-';
  const unfit = unfitFor(output, locator, call);
  if (unfit) return fail(unfit, call);
  const session = await unlessAborted(call.signal, signIn(call));
  if (session === 'aborted') return 1;
  if (session.isErr()) return fail(session.error, call);
  const { use, member } = session.value;
  const document = await use.getDocument(member, locator, {}, call.signal);
  if (call.signal.aborted) return 1;
  if (document.isErr()) return fail(cliErrorOf(document.error), call);
  if (!('content' in document.value)) return fail(cliErrorOf(upstream('documents', 'malformed')), call);
  const saved = await save(document.value, output, call.signal);
  if (typeof saved !== 'number') return fail(saved, call);
  if (output === '-') return 0;
  if (call.json) process.stdout.write(`${JSON.stringify({ file: output, bytes: saved })}\n`);
  else process.stderr.write(`${locator} is in ${output} (${sized(saved)})\n`);
  return 0;
};

const unfitFor = (output: string, locator: string, { json }: Call): CliError | undefined => {
  if (output !== '-') return undefined;
  const hint = `Name a file: -o ${locator.replaceAll(':', '-')}.pdf`;
  if (json) return usageError('A PDF is no JSON document.', hint);
  return process.stdout.isTTY ? usageError('A PDF is nothing for a terminal.', hint) : undefined;
};

type Document = Extract<DocumentResponse, { content: unknown }>;

/** The number of bytes written, or why there is no file. */
const save = async (
  { content, headers }: Document,
  output: string,
  signal: AbortSignal,
): Promise<number | CliError> => {
  const total = Number(headers.contentLength ?? Number.NaN);
  const shown = progress();
  let bytes = 0;
  async function* counted() {
    let shownAt = 0;
    for await (const chunk of content) {
      bytes += chunk.byteLength;
      if (performance.now() - shownAt > 100) {
        shownAt = performance.now();
        shown.waiting(Number.isNaN(total) ? sized(bytes) : `${sized(bytes)} of ${sized(total)}`);
      }
      yield chunk;
    }
  }
  try {
    if (output === '-') await pipeline(counted, process.stdout, { end: false, signal });
    else await writeWhole(output, counted, signal);
    return bytes;
  } catch (error) {
    if (signal.aborted) return interrupted(output);
    // The reader of stdout has closed it, as `head` does.
    return output === '-' && codeOf(error) === 'EPIPE' ? bytes : writingTrouble(error, output);
  } finally {
    shown.end();
  }
};

/**
 * Writes a temporary file and renames it, so that the file has the whole document or is left as it was. The target of a
 * link is written, not the link. A pipe or a device is written directly. Private health data: a new file is readable by
 * its owner only, an existing one keeps its mode.
 */
const writeWhole = async (
  output: string,
  content: () => AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> => {
  const existing = await stat(output).catch(orMissing);
  const write = (target: Writable) => pipeline(Readable.from(content()), target, { signal });
  if (existing && !existing.isFile()) return write(createWriteStream(output, { flags: 'w' }));
  const file = existing ? await realpath(output) : await targetOf(output);
  const part = `${file}.${randomUUID()}.part`;
  // Outside the try block: where it cannot be opened there is nothing to remove.
  const handle = await open(part, 'wx', 0o600);
  try {
    await write(handle.createWriteStream({ flush: true }));
    if (existing) await chmod(part, existing.mode & 0o777);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
};

/** A file that does not exist is not a failure here; one that cannot be looked at is. */
const orMissing = (error: unknown): undefined => {
  if (codeOf(error) !== 'ENOENT') throw error;
};

/** Where a link leads whose target does not exist yet; any other path as it is. */
const targetOf = async (path: string): Promise<string> => {
  const target = await readlink(path).catch(() => undefined);
  if (target === undefined) return path;
  return targetOf(isAbsolute(target) ? target : `${await realpath(dirname(path))}/${target}`);
};

const noRoom = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const leftIn = (output: string): string =>
  output === '-' ? 'What was written is not whole.' : `Nothing of it is left in ${output}.`;

const interrupted = (output: string): CliError => ({
  exitCode: 1,
  document: { code: 'internal', detail: `Interrupted. ${leftIn(output)}` },
});

const writingTrouble = (error: unknown, output: string): CliError => {
  const code = codeOf(error);
  const isStdout = output === '-';
  const where = isStdout ? 'stdout' : output;
  const left = leftIn(output);
  if (code === 'ERR_DOWNSTREAM_BROKE_OFF') {
    const reason = (error as { readonly reason?: UpstreamReason }).reason ?? 'unreachable';
    return { ...cliErrorOf(upstream('documents', reason)), hint: `The document broke off midway. ${left}` };
  }
  if (noRoom.has(code)) return environmentError(`There is no room left for ${where} (${code}).`, left, error);
  if (code === 'EIO') return environmentError(`${where} could not be written (${code}).`, left, error);
  return usageError(`${where} cannot be written (${code}).`, 'Name another file with -o.');
};

const sized = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;
