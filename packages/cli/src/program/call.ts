import type { Command } from 'commander';
import type { OutputMode } from '../output/refusal.ts';
import type { LoadedSettings } from '../settings/load.ts';

/** One call of one command, its settings loaded. */
export interface Call extends OutputMode {
  readonly args: readonly string[];
  /** As commander names them: `tokenFile` for `--token-file`. */
  readonly options: Options;
  readonly env: Environment;
  readonly loaded: LoadedSettings;
  readonly version: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** What to say when there is no time left to put things in order. */
  readonly atForcedEnd: (say: () => void) => void;
}

export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a command does. Gives the exit code. */
export type CommandHandler = (call: Call) => Promise<number>;

/** The text given to an option, if any. */
export const textOf = ({ options }: Pick<Call, 'options'>, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** What a command needs before it can begin. */
type Needs = 'settings' | 'identity' | 'nothing';

/** Makes commander's action out of a command that is loaded when it is called. */
export type CommandRunner = (
  load: () => Promise<CommandHandler>,
  needs?: Needs,
) => (this: Command, ...given: readonly unknown[]) => Promise<void>;
