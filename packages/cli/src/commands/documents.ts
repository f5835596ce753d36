import { fstatSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type DocumentResponse, interruptedCode, upstream, type UpstreamReason } from '@portico/core';
import { fromThrowable } from 'neverthrow';
import { writeAtomically } from '../session/atomic-file.ts';
import { type CommandContext, type CommandHandler, stringOption } from '../session/command.ts';
import { unlessInterrupted } from '../session/interrupt.ts';
import { listQuery } from '../session/list-query.ts';
import { progress } from '../output/progress.ts';
import { cliErrorOf, failWith, namingMissing } from '../output/failure-message.ts';
import { type CliError, environmentError, fail, usageError } from '../output/cli-error.ts';
import { codeOf } from '../settings/file-problems.ts';
import { exitCodeOf } from '../output/exit-code.ts';
import { asMember, signIn } from '../session/session.ts';
import { date, text } from '../output/field.ts';
import { showList } from '../output/view.ts';

export const listDocuments: CommandHandler = (context) =>
  asMember(
    context,
    'documents',
    ({ use, member }) => use.listDocuments(member, listQuery(context)),
    showList('documents', [text('locator'), text('type'), text('title'), date('date')], 'No documents.'),
  );

/** Streams one document to stdout or to a file. If it fails, the file is unchanged. */
export const getDocument: CommandHandler = async (context) => {
  const [locator = ''] = context.args;
  const given = stringOption(context, 'output') ?? '-';
  const output = isStdout(given) ? '-' : given;
  const outputError = checkOutput(output, locator, context);
  if (outputError) return fail(outputError, context);
  const session = await unlessInterrupted(context.signal, signIn(context, 'documents'));
  if (session === 'aborted') return 1;
  if (session.isErr()) return fail(session.error, context);
  const { use, member } = session.value;
  const document = await use.getDocument(member, locator, {}, context.signal);
  if (context.signal.aborted) return 1;
  if (document.isErr()) return failWith(namingMissing('document', locator)(document.error), context);
  if (!('content' in document.value)) return fail(cliErrorOf(upstream('documents', 'malformed')), context);
  const saved = await saveDocument(document.value, output, context.signal);
  if (typeof saved !== 'number') return fail(saved, context);
  if (output === '-') return 0;
  if (context.json) process.stdout.write(`${JSON.stringify({ file: output, bytes: saved })}\n`);
  else process.stderr.write(`Saved ${locator} to ${output} (${formatSize(saved)}).\n`);
  return 0;
};

/**
 * Whether stdout is redirected to this path, such as /dev/stdout. Replacing the file would lose other output that the
 * shell writes to it.
 */
const isStdout = (path: string): boolean => {
  if (/^\/(?:dev\/stdout|(?:dev|proc\/self)\/fd\/1)$/.test(path)) return true;
  const file = fromThrowable(statSync)(path).unwrapOr(undefined);
  const stdout = fromThrowable(fstatSync)(1).unwrapOr(undefined);
  return file?.isFile() === true && file.dev === stdout?.dev && file.ino === stdout.ino;
};

const checkOutput = (output: string, locator: string, { json }: CommandContext): CliError | undefined => {
  if (output !== '-') return undefined;
  const hint = `Write to a file: -o ${locator.replaceAll(':', '-')}.pdf`;
  if (json) return usageError('--json cannot be used when the PDF is written to stdout.', hint);
  return process.stdout.isTTY ? usageError('Refusing to write a PDF to the terminal.', hint) : undefined;
};

type Document = Extract<DocumentResponse, { content: unknown }>;

/** Writes the document and returns the number of bytes, or an error. `output` is a file, or `-` for stdout. */
export const saveDocument = async (
  { content, headers }: Document,
  output: string,
  signal: AbortSignal,
  service = 'documents',
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
        shown.waiting(Number.isNaN(total) ? formatSize(bytes) : `${formatSize(bytes)} of ${formatSize(total)}`);
      }
      yield chunk;
    }
  }
  try {
    if (output === '-') await pipeline(counted, process.stdout, { end: false, signal });
    // Private health data: only the owner can read a new file.
    else await writeAtomically(output, counted(), { mode: 0o600, signal });
    return bytes;
  } catch (error) {
    if (signal.aborted) return interrupted(output);
    // The reader closed stdout, as `head` does: not an error.
    return output === '-' && codeOf(error) === 'EPIPE' ? bytes : writeError(error, output, service);
  } finally {
    shown.end();
  }
};

const noSpaceCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** A pipe or device has what was written to it; a file is unchanged. */
const leftoverOf = (output: string): string => {
  const existing = fromThrowable(statSync)(output).unwrapOr(undefined);
  return output === '-' || existing?.isFile() === false ? 'The output is incomplete.' : `${output} was not written.`;
};

const interrupted = (output: string): CliError => ({
  exitCode: exitCodeOf.unexpected,
  document: { code: 'internal', detail: `Interrupted. ${leftoverOf(output)}` },
});

const writeError = (error: unknown, output: string, service: string): CliError => {
  const code = codeOf(error);
  const isStdout = output === '-';
  const target = isStdout ? 'stdout' : output;
  const leftover = leftoverOf(output);
  if (code === interruptedCode) {
    const reason = (error as { readonly reason?: UpstreamReason }).reason ?? 'unreachable';
    return { ...cliErrorOf(upstream(service, reason)), hint: `The download was interrupted. ${leftover}` };
  }
  if (noSpaceCodes.has(code)) return environmentError(`No space left to write ${target} (${code}).`, leftover, error);
  if (code === 'EIO') return environmentError(`Failed to write ${target} (${code}).`, leftover, error);
  return usageError(`Cannot write ${target} (${code}).`, 'Choose another file with -o.');
};

const formatSize = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;
