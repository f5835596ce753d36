import type { Writable } from 'node:stream';
import { pino } from 'pino';
import { redactError } from './redact-error.ts';
import { LineBuffer } from './line-buffer.ts';
import type { Settings } from '../settings/schema.ts';

/** Writes a log line. Callers must not pass private data. */
export interface Log {
  (level: 'error' | 'warn' | 'info', message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes all buffered lines. */
  readonly flush: () => void;
}

/**
 * Creates a log with one JSON document per line. Lines of level `info` are buffered for at most 100 ms; warnings and
 * errors are written immediately, and buffered lines when the process exits.
 */
export const jsonLines = (threshold: Settings['log']['level'], output: Writable = process.stderr): Log => {
  const lines = new LineBuffer(output, (dropped) =>
    logger.warn({ lines: dropped }, 'log lines were dropped because stderr was not read or could not be written'),
  );
  const logger = pino(
    {
      level: threshold,
      messageKey: 'message',
      // No process id and host name: log collectors add them.
      base: null,
      formatters: { level: (level) => ({ level }) },
      timestamp,
      // pino's own serializer includes the message.
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

/** Formats the time (ISO 8601). Cached per second: formatting took more than a third of the time of a line. */
const timestamp = (): string => {
  const now = Date.now();
  const milliseconds = now % 1000;
  if (now - milliseconds !== second) {
    second = now - milliseconds;
    upToSecond = new Date(second).toISOString().slice(0, -4);
  }
  return `,"time":"${upToSecond}${String(milliseconds).padStart(3, '0')}Z"`;
};
