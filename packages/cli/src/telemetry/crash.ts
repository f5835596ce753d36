import type { Log } from './log.ts';
import { redactError } from './redact-error.ts';

/** An exception that nobody caught ends the process, as it would anyway; it is said in one line, without its message. */
export const endOnCrash = (log: Log): void => {
  process.once('uncaughtException', (error) => {
    log('error', 'uncaught exception', { error: redactError(error) });
    process.exit(1);
  });
};
