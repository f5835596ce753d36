import { readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import type { Environment, Options, CommandRunner } from './call.ts';
import { expandDefaultSubcommands } from './member-program.ts';
import { buildProgram } from './program.ts';
import { internalError, printProblems, refuse, refuseSettings } from '../output/refusal.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** The `portico` command: runs it and gives its exit code. */
export const run = async (args: readonly string[], env: Environment): Promise<number> => {
  let exitCode = 0;

  const perform: CommandRunner = (load, needs = 'settings') =>
    async function (this: Command) {
      const options: Options = this.opts();
      const manner = { json: options['json'] === true, verbose: options['verbose'] === true };
      const command = load();
      const { loadSettings } = await import('../settings/load.ts');
      const sources = needs === 'nothing' ? {} : { flags: flagsOf(options), env, onlyIdentity: needs === 'identity' };
      exitCode = await loadSettings(sources).match(
        async (loaded) => {
          const { interruptible } = await import('../session/interrupt.ts');
          const act = (signal: AbortSignal, atForcedEnd: (say: () => void) => void) =>
            command.then((act) =>
              act({ ...manner, args: this.args, options, env, loaded, version, signal, atForcedEnd }),
            );
          // A server has its own way to end.
          return this.name() === 'serve' ? act(new AbortController().signal, () => {}) : interruptible(act);
        },
        async (problems) =>
          refuseSettings(
            `${problems.length} problem${problems.length > 1 ? 's' : ''} with the settings`,
            problems,
            manner.json,
          ),
      );
    };

  const program = buildProgram(version, perform);
  for (const command of withSubcommands(program))
    command
      .exitOverride()
      .configureOutput({ outputError: (text, write) => write(withoutValue(text).replace(/^error: /, 'portico: ')) });

  try {
    await program.parseAsync(expandDefaultSubcommands(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    const json = args.includes('--json');
    if (!(error instanceof CommanderError))
      return refuse(internalError(error), { json, verbose: args.includes('--verbose') });
    if (error.exitCode === 0) return 0;
    if (json) printProblems('The command line is not right.', [usageProblem(error)]);
    return 2;
  }
};

const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];

/** Commander's camel-cased options under the names that were typed. */
const flagsOf = (options: Options): Record<string, string> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      typeof value === 'string'
        ? [[`--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, value]]
        : [],
    ),
  );

/** Commander shows its help instead of a message when the command itself is missing. */
const usageProblem = ({ code, message }: CommanderError) => ({
  setting: '(arguments)',
  source: 'command line',
  message:
    code === 'commander.help'
      ? 'a command is missing'
      : withoutValue(message)
          .replace(/^error: /, '')
          .replaceAll(/\s*\n\s*/g, ' '),
});

/** An option that does not exist, or one argument too many, may be a password. */
const withoutValue = (text: string): string =>
  text.replace(/('--?[^'=\s]+)=[^\n]*'/, "$1'").replace(/(Expected \d+ arguments? but got \d+): [^\n]*/, '$1.');
