import { constants } from 'node:os';
import type { Failure } from '@portico/core';

/** The exit codes (contract, section 7). After a signal, the exit code is 128 plus the signal's number. */
export const exitCodes = {
  0: 'success',
  1: 'internal error, local error such as a full disk, or a broken promise of portico contract',
  2: 'invalid usage, input or settings',
  3: 'not found',
  4: 'a downstream service failed, or every search leg failed',
  5: 'unauthenticated, or the token lacks a scope',
} as const;

export type ExitCode = keyof typeof exitCodes;

export const exitCodeOf = {
  invalid: 2,
  unauthenticated: 5,
  'insufficient-scope': 5,
  'not-found': 3,
  'precondition-failed': 4,
  upstream: 4,
  overloaded: 4,
  unexpected: 1,
} as const satisfies Record<Failure['kind'], ExitCode>;

/** The signals that start a graceful exit: from Ctrl-C, a supervisor, and a closed terminal. */
export const exitSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends the process. `process.exit` waits for threads that are blocked, such as by a named pipe or a name lookup. So an
 * interrupted command ends by its signal, for which the shell has the same exit code.
 */
export const exitWith = (exitCode: number): void => {
  const signal = exitSignals.find((name) => exitCode === 128 + constants.signals[name]);
  if (signal !== undefined && process.platform !== 'win32') {
    // Listeners of this event release locks and write what is left.
    process.emit('exit', exitCode);
    // Only a normal exit does this. The next program of the shell may share the pipes, and would lose output.
    for (const stream of [process.stdout, process.stderr]) makeBlocking(stream);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  // The first process of a container ignores the signal. It waits for blocked threads.
  process.exit(exitCode);
};

const makeBlocking = (stream: object): void => {
  // oxlint-disable-next-line no-underscore-dangle -- Node has no other access to it
  const { _handle: handle } = stream as { readonly _handle?: { setBlocking?(isBlocking: boolean): void } | null };
  handle?.setBlocking?.(true);
};
