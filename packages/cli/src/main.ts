import { run } from './program/run.ts';

// A server outlives whoever read its log, and `portico config print | head` is no error. A full disk is one.
let hasLost = false;
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || hasLost) return;
  hasLost = true;
  process.exitCode = 1;
  process.stderr.write(
    `portico: stdout cannot be written (${code}).\n  What should stand there is lost. Make room, or send it elsewhere.\n`,
  );
});
process.stderr.on('error', () => {});

const exitCode = await run(process.argv.slice(2), process.env);
process.exitCode = hasLost ? 1 : exitCode;
// What a downstream still owes after the server has drained would keep the process alive until its deadline. What was
// written is another matter: a reader may take all the time it likes.
process.stdout.write('', () => process.stderr.write('', () => setTimeout(() => process.exit(), 250).unref()));
