import type { Settings } from './settings/schema.ts';

const levels = ['silent', 'error', 'warn', 'info'] as const;

export type Log = (
  level: 'error' | 'warn' | 'info',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** One JSON document per line on stderr. Callers pass nothing private. */
export const jsonLines =
  (threshold: Settings['log']['level']): Log =>
  (level, message, fields = {}) => {
    if (levels.indexOf(level) > levels.indexOf(threshold)) return;
    process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
  };
