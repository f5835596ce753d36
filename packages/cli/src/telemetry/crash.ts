import type { Log } from './log.ts';
import { withoutMessage } from './error-without-message.ts';

/** An exception that nobody caught ends the process, as it would anyway; it is said in one line, without its message. */
export const endOnCrash = (log: Log): void => {
  process.once('uncaughtException', (error) => {
    log('error', 'uncaught exception', { error: withoutMessage(error) });
    process.exit(1);
  });
};
