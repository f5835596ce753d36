import { constants } from 'node:os';
import { exitSignals } from '../output/exit-code.ts';

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
