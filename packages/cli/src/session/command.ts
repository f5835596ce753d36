import type { Command } from 'commander';
import type { OutputMode } from '../output/cli-error.ts';
import type { LoadedSettings } from '../settings/load.ts';

/** One invocation of a command, with its settings loaded. */
export interface CommandContext extends OutputMode {
  readonly args: readonly string[];
  /** Options by commander's camel-cased names: `tokenFile` for `--token-file`. */
  readonly options: Options;
  readonly env: Environment;
  readonly loaded: LoadedSettings;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Sets what is printed if cleanup after a signal does not finish in time. */
  readonly onForcedExit: (print: () => void) => void;
}

export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Runs a command and returns its exit code. */
export type CommandHandler = (context: CommandContext) => Promise<number>;

/** Returns the value of a string option, or undefined when it is missing or empty. */
export const stringOption = ({ options }: Pick<CommandContext, 'options'>, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The settings that a command loads before it starts. */
type RequiredSettings = 'settings' | 'identity' | 'nothing';

/** Creates a commander action from a command handler that is loaded on first use. */
export type CommandRunner = (
  load: () => Promise<CommandHandler>,
  required?: RequiredSettings,
) => (this: Command, ...args: readonly unknown[]) => Promise<void>;
