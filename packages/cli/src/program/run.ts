import { type Command, CommanderError } from 'commander';
import type { Environment, Options, CommandRunner } from '../session/command.ts';
import { expandDefaultSubcommands } from './member-program.ts';
import { flagOf } from './options.ts';
import { buildProgram } from './program.ts';
import {
  fail,
  failWithProblems,
  internalError,
  outputFormats,
  type OutputMode,
  printProblemDocument,
  usageError,
} from '../output/cli-error.ts';
import { exitCodeOf } from '../output/exit-code.ts';
import type { Settings } from '../settings/schema.ts';
import { version } from '../telemetry/version.ts';

/** Runs the `portico` command and returns its exit code. */
export const run = async (args: readonly string[], env: Environment): Promise<number> => {
  let exitCode = 0;
  if (args.includes('--no-color')) {
    process.env['NO_COLOR'] = '1';
    delete process.env['FORCE_COLOR'];
  }

  const runCommand = runnerFor(env, (code) => {
    exitCode = code;
  });
  const program = buildProgram(version, runCommand, args.includes('--help-all'));
  for (const command of withSubcommands(program))
    command.exitOverride().configureOutput({
      outputError: (message, write) => write(withoutValue(message).replace(/^error: /, 'portico: ')),
    });

  try {
    const words = args.map((word) => (word === '--help-all' ? '--help' : word));
    await program.parseAsync(expandDefaultSubcommands(words), { from: 'user' });
    return exitCode;
  } catch (error) {
    const json = args.some((word, index) => isJson(word, args[index - 1]));
    if (!(error instanceof CommanderError))
      return fail(internalError(error), { json, verbose: args.includes('--verbose') });
    if (error.exitCode === 0) return 0;
    if (json) printProblemDocument('Invalid command line.', [usageProblem(error)]);
    return exitCodeOf.invalid;
  }
};

/** Whether a word of the command line, with the word before it, selects JSON. Used when the arguments cannot be parsed. */
const isJson = (word: string, before?: string): boolean =>
  ['--json', '-ojson', '--output=json'].includes(word) ||
  (word === 'json' && ['-o', '--output'].includes(before ?? ''));

/** Creates the runner of all commands: it loads the settings, and runs the command until its end or a signal. */
const runnerFor =
  (env: Environment, onExit: (exitCode: number) => void): CommandRunner =>
  (load, required = 'settings') =>
    async function (this: Command) {
      const options: Options = this.opts();
      const mode = outputMode(this, options);
      // Both are awaited, also if the settings are invalid: nothing of a command that has ended is still being loaded.
      const [handle, { loadSettings }] = await Promise.all([load(), import('../settings/load.ts')]);
      const sources =
        required === 'nothing'
          ? {}
          : {
              flags: flagsOf(options),
              env,
              onlyIdentity: required === 'identity',
              hasModules: 'with' in options,
            };
      const exitCode = await loadSettings(sources).match(
        async (loaded) => {
          const { interruptible, unlessInterrupted } = await import('../session/interrupt.ts');
          const start = async (signal: AbortSignal, onForcedExit: (print: () => void) => void) => {
            if (options['json'] === true && (mode.output ?? 'json') !== 'json')
              return fail(usageError(`Use either --json or --output ${mode.output}, not both.`), mode);
            if (mode.jq !== undefined) {
              // Before anything is sent: without input, jq only compiles the expression.
              const { applyJq } = await import('../output/formats/jq.ts');
              const compiled = await unlessInterrupted(signal, applyJq(mode.jq, ''));
              if (compiled === 'aborted') return 1;
              if (compiled.isErr()) return fail(compiled.error, mode);
            }
            return handle({ ...mode, args: this.args, options, env, loaded, signal, onForcedExit });
          };
          const isServer = this.name() === 'serve';
          const stopWatching = mode.verbose ? await showRequests(loaded.settings, options, isServer) : () => {};
          try {
            // A server handles the signals itself.
            if (isServer) return await start(new AbortController().signal, () => {});
            return await interruptible(start);
          } finally {
            stopWatching();
          }
        },
        async (problems) =>
          failWithProblems(
            `${problems.length} problem${problems.length > 1 ? 's' : ''} with the settings`,
            problems,
            mode.json,
          ),
      );
      onExit(exitCode);
    };

/**
 * `--verbose`: a line on stderr for each HTTP request that a command sends, unless too many are unread. Returns what ends it.
 */
const showRequests = async (settings: Settings, { server }: Options, isServer: boolean): Promise<() => void> => {
  const { callLine, callLogLine, watchRequests } = await import('../telemetry/lines/call-lines.ts');
  const { maxUnreadBytes } = await import('../telemetry/line-buffer.ts');
  const { serviceNames } = await import('../telemetry/service-names.ts');
  const nameOf = serviceNames(settings, typeof server === 'string' ? server : undefined);
  const lineOf = isServer ? callLogLine : callLine;
  return watchRequests(nameOf, (request) => {
    if (process.stderr.writableLength <= maxUnreadBytes) process.stderr.write(lineOf(request));
  });
};

const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];

/** Reads the output options. `--output` of a command that downloads a file is not a format. */
const outputMode = (command: Command, { json, verbose, output, jq }: Options): OutputMode => {
  const hasFormats = command.options.some(({ long, argChoices }) => long === '--output' && argChoices !== undefined);
  const format = hasFormats ? outputFormats.find((name) => name === output) : undefined;
  return {
    json: json === true || format === 'json',
    verbose: verbose === true,
    ...(format !== undefined && { output: format }),
    ...(typeof jq === 'string' && { jq }),
  };
};

/** Converts commander's camel-cased option names back to flags. */
const flagsOf = (options: Options): Record<string, string> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (typeof value === 'string' ? [[flagOf(name), value]] : [])),
  );

/** Commander prints its help, without an error message, when the command is missing. */
const usageProblem = ({ code, message }: CommanderError) => ({
  setting: '(arguments)',
  source: 'command line',
  message:
    code === 'commander.help'
      ? 'a command is required'
      : withoutValue(message)
          .replace(/^error: /, '')
          .replaceAll(/\s*\n\s*/g, ' '),
});

/** Removes the value of an unknown option or surplus argument, which may be a password. */
const withoutValue = (message: string): string =>
  message.replace(/('--?[^'=\s]+)=[^\n]*'/, "$1'").replace(/(Expected \d+ arguments? but got \d+): [^\n]*/, '$1.');
