import type { Writable } from 'node:stream';
import { pino } from 'pino';
import { redactError } from './redact-error.ts';
import { LineBuffer } from './line-buffer.ts';
import type { Settings } from '../settings/schema.ts';

/** Callers pass nothing private. */
export interface Log {
  (level: 'error' | 'warn' | 'info', message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Hands over what is still held back. */
  readonly flush: () => void;
}

/**
 * One JSON document per line on stderr. Lines of level `info` go out many at once, a tenth of a second later at most;
 * warnings and errors at once, and whatever is left when the process exits.
 */
export const jsonLines = (threshold: Settings['log']['level'], output: Writable = process.stderr): Log => {
  const lines = new LineBuffer(output, (dropped) =>
    logger.warn({ lines: dropped }, 'nobody read the log, and lines were dropped'),
  );
  const logger = pino(
    {
      level: threshold,
      messageKey: 'message',
      // Whoever collects the lines knows the process and the host.
      base: null,
      formatters: { level: (level) => ({ level }) },
      timestamp,
      // pino's own would quote the message.
      serializers: { err: redactError },
    },
    lines,
  );
  if (output === process.stderr) process.once('exit', lines.flush);
  const log = (level: 'error' | 'warn' | 'info', message: string, fields: Readonly<Record<string, unknown>> = {}) => {
    logger[level](fields, message);
    if (level !== 'info') lines.flush();
  };
  return Object.assign(log, { flush: lines.flush });
};

let second = Number.NaN;
let upToSecond = '';

/** ISO 8601. A second's text is made once: making it for every line cost more than a third of the line. */
const timestamp = (): string => {
  const now = Date.now();
  const milliseconds = now % 1000;
  if (now - milliseconds !== second) {
    second = now - milliseconds;
    upToSecond = new Date(second).toISOString().slice(0, -4);
  }
  return `,"time":"${upToSecond}${String(milliseconds).padStart(3, '0')}Z"`;
};
