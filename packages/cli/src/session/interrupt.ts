import { constants } from 'node:os';
import { unlessAborted } from '@portico/core';
import { exitSignals, exitWith } from '../output/exit-code.ts';

/** Maximum time for cleanup, so that Ctrl-C takes less than a second. Must be longer than `settleMs` of the journey. */
export const graceMs = 800;

/** Maximum time to write what is left to a slow reader. */
const writeMs = 1000;

const unfinished = new Set<Promise<unknown>>();

/** A refresh of the saved sign-in, which a signal does not cut off: the command waits for it. It must have its own time limit. */
export const uninterrupted = <T>(work: Promise<T>): Promise<T> => {
  unfinished.add(work);
  const finished = () => unfinished.delete(work);
  work.then(finished, finished);
  return work;
};

const finishWork = async (): Promise<void> => {
  if (unfinished.size === 0) return;
  process.stderr.write('portico: Waiting for the refresh of the saved sign-in.\n');
  await Promise.allSettled(unfinished);
};

const printForcedExit = (): void => {
  process.stderr.write('portico: Terminated before cleanup finished.\n');
};

/**
 * Runs a command until it ends or the process gets an exit signal. A signal aborts the command, which then has 800 ms to
 * clean up; the exit code is 128 plus the signal's number, as in a shell. If cleanup takes longer, the function that
 * the command passed to `onForcedExit` prints what is left. Either way, `uninterrupted` work ends first.
 */
export const interruptible = async (
  command: (signal: AbortSignal, onForcedExit: (print: () => void) => void) => Promise<number>,
): Promise<number> => {
  const controller = new AbortController();
  let exitCode: number | undefined;
  let forcedExit: NodeJS.Timeout | undefined;
  let print = printForcedExit;
  const handleSignal = (name: (typeof exitSignals)[number]) => {
    if (exitCode !== undefined) return;
    exitCode = 128 + constants.signals[name];
    controller.abort();
    forcedExit = setTimeout(async () => {
      await finishWork();
      print();
      process.stdout.write('', () => process.stderr.write('', () => exitWith(exitCode!)));
      setTimeout(exitWith, writeMs, exitCode!);
    }, graceMs).unref();
  };
  for (const signal of exitSignals) process.on(signal, handleSignal);
  try {
    const result = await command(controller.signal, (printLeftovers) => {
      print = printLeftovers;
    });
    return exitCode ?? result;
  } finally {
    clearTimeout(forcedExit);
    // Before the handlers are removed: npm forwards Ctrl-C, so a second signal follows at once.
    if (exitCode !== undefined) await finishWork();
    for (const signal of exitSignals) process.off(signal, handleSignal);
  }
};

/** Resolves with the result of the work, or with `aborted`. Pending requests of aborted work end with the process. */
export const unlessInterrupted = <T>(signal: AbortSignal, work: PromiseLike<T>): Promise<T | 'aborted'> =>
  unlessAborted(signal, work, () => 'aborted' as const);
