import { constants } from 'node:os';
import { exitSignals, exitWith } from '../output/exit-code.ts';

const exit = (signal: (typeof exitSignals)[number]): void => exitWith(128 + constants.signals[signal]);

/**
 * Ends the process on an exit signal, as without a listener. The first process of a container ignores a signal without one, and
 * would start to serve after it. Returns a function that removes the listeners.
 */
export const exitOnSignal = (): (() => void) => {
  for (const signal of exitSignals) process.on(signal, exit);
  return () => {
    for (const signal of exitSignals) process.off(signal, exit);
  };
};

/** One Ctrl-C may arrive twice: from the terminal, and forwarded by npm or another parent process. */
const duplicateMs = 500;

/**
 * Calls `close` on the first exit signal. A later signal ends the process immediately, until `close` has completed. Returns
 * a function that removes the listeners.
 */
export const onExitSignal = (close: () => Promise<void>): (() => void) => {
  const stop = () => {
    for (const signal of exitSignals) process.off(signal, handleSignal);
  };
  // A process that ends must not be killed by the second of two signals.
  const stopLater = () => void setTimeout(stop, duplicateMs).unref();
  let firstAt: number | undefined;
  const handleSignal = (signal: (typeof exitSignals)[number]) => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      close().then(stopLater, stopLater);
    } else if (performance.now() - firstAt > duplicateMs) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of exitSignals) process.on(signal, handleSignal);
  return stop;
};
