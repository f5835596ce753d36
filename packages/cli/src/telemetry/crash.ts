import type { Log } from './log.ts';
import { redactError } from './redact-error.ts';

/** Logs an uncaught exception in one line, without its message, and exits with 1. */
export const endOnCrash = (log: Log): void => {
  process.once('uncaughtException', (error) => {
    log('error', 'uncaught exception', { error: redactError(error) });
    process.exit(1);
  });
};
