import { setTimeout } from 'node:timers/promises';
import { exitCodeOf } from '../output/exit-code.ts';
import type { OutputMode } from '../output/cli-error.ts';
import { screenOf } from '../output/screen.ts';
import type { CommandContext } from './command.ts';

const defaultSeconds = 2;

/** How a command prints while it is repeated: on a terminal as usual, elsewhere one JSON document per line. */
export const watchedMode = (context: CommandContext): OutputMode =>
  isWatched(context) && !process.stdout.isTTY && context.output === undefined && context.jq === undefined
    ? { ...context, json: true }
    : context;

export const isWatched = ({ options }: CommandContext): boolean => options['watch'] !== undefined;

/** Repeats `once` until Ctrl-C. A failed service does not end it; any other failure does. Returns the exit code. */
export const repeat = async (context: CommandContext, once: () => Promise<number>): Promise<number> => {
  const seconds = Number(context.options['watch'] === true ? defaultSeconds : context.options['watch']);
  for (;;) {
    const exitCode = await once();
    // The reader of stdout has gone.
    if (!process.stdout.writable) return exitCode;
    if (context.signal.aborted || (exitCode !== 0 && exitCode !== exitCodeOf.upstream)) return exitCode;
    // Rejects when the signal aborts the wait.
    await setTimeout(seconds * 1000, undefined, { signal: context.signal }).catch(() => undefined);
    if (context.signal.aborted) return 0;
  }
};

/** Clears the terminal before a result replaces the previous one. */
export const clearScreen = (context: CommandContext): void => {
  if (isWatched(context) && screenOf(process.stdout).isTerminal) process.stdout.write('\u001b[H\u001b[2J');
};
