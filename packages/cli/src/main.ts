import { fstatSync, realpathSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exitWith } from './output/exit-code.ts';
import { run } from './program/run.ts';

/** Runs the `portico` command with the arguments and the environment of this process, and ends the process. */
export const main = async (): Promise<void> => {
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
  failOnShortWrites(process.stdout);
  failOnShortWrites(process.stderr);

  const exitCode = await run(process.argv.slice(2), process.env);
  process.exitCode = hasLost ? 1 : exitCode;
  // Pending downstream requests would keep the process alive until their timeout. After a signal, what they return must not
  // start another one, such as a write. Written output is flushed first, however long its reader takes.
  const lingerMs = exitCode > 128 ? 0 : 250;
  process.stdout.write('', () =>
    process.stderr.write('', () => setTimeout(() => exitWith(Number(process.exitCode)), lingerMs).unref()),
  );
};

/** Makes a stream that writes to a file write every byte or fail. Node ignores that a write may be short, as on a full disk. */
const failOnShortWrites = (stream: NodeJS.WriteStream & { readonly fd: number }): void => {
  if (!isFile(stream.fd)) return;
  // oxlint-disable-next-line no-underscore-dangle -- the name of the method that a stream implements
  stream._write = (chunk: Uint8Array, _encoding, done) => {
    try {
      for (let written = 0; written < chunk.length;) written += writeSync(stream.fd, chunk, written);
    } catch (error) {
      return done(error as Error);
    }
    done();
  };
};

const isFile = (fd: number): boolean => {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false; // closed
  }
};

/** Whether Node was started with this file. `bin/portico.js` calls `main` itself. */
const isProgram = (): boolean => {
  const [, script] = process.argv;
  try {
    return script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url);
  } catch {
    return false; // `node -e`, with an argument that is not a file
  }
};

if (isProgram()) await main();
