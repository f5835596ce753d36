import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { exitCodeOf } from '../output/exit-code.ts';
import type { OutputMode } from '../output/cli-error.ts';
import { screenOf } from '../output/screen.ts';
import type { CommandContext } from './command.ts';
import { watchDefaults } from './option-defaults.ts';

/** How a command prints while it is repeated: on a terminal as usual, elsewhere one JSON document per line. */
export const watchedMode = (context: CommandContext): OutputMode =>
  isWatched(context) && !process.stdout.isTTY && context.output === undefined && context.jq === undefined
    ? { ...context, json: true }
    : context;

export const isWatched = ({ options }: CommandContext): boolean => options['watch'] !== undefined;

/** Repeats `run` until Ctrl-C. A failed service does not end it; any other failure does. Returns the exit code. */
export const repeat = async (context: CommandContext, run: () => Promise<number>): Promise<number> => {
  const seconds = Number(context.options['watch'] === true ? watchDefaults.seconds : context.options['watch']);
  for (;;) {
    const exitCode = await run();
    await drained(context.signal);
    // The reader of stdout has gone.
    if (!process.stdout.writable) return exitCode;
    if (context.signal.aborted || (exitCode !== 0 && exitCode !== exitCodeOf.upstream)) return exitCode;
    // Rejects when the signal aborts the wait.
    await setTimeout(seconds * 1000, undefined, { signal: context.signal }).catch(() => undefined);
    if (context.signal.aborted) return 0;
  }
};

/** Waits for a reader that is slower than the command, such as a pager: unread results would fill the memory. */
const drained = async (signal: AbortSignal): Promise<void> => {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain', { signal }).catch(() => undefined);
};

/** Clears the terminal before a result replaces the previous one. */
export const clearScreen = (context: CommandContext): void => {
  if (isWatched(context) && screenOf(process.stdout).isTerminal) process.stdout.write('\u001b[H\u001b[2J');
};
