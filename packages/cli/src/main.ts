import { run } from './program/run.ts';

// A closed pipe is not an error: a server outlives the reader of its log, and `portico config print | head` is fine.
let hasLost = false;
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || hasLost) return;
  hasLost = true;
  process.exitCode = 1;
  process.stderr.write(
    `portico: Cannot write to stdout (${code}). Output was lost.\n  Free disk space, or redirect the output.\n`,
  );
});
process.stderr.on('error', () => {});

const exitCode = await run(process.argv.slice(2), process.env);
process.exitCode = hasLost ? 1 : exitCode;
// Pending downstream requests would keep the process alive until their timeout. Written output is flushed first, however
// long its reader takes.
process.stdout.write('', () => process.stderr.write('', () => setTimeout(() => process.exit(), 250).unref()));
