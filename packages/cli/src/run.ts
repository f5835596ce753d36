import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { printProblems, refuse } from './refusal.ts';
import { type LoadedSettings, loadSettings } from './settings/load.ts';
import { variables } from './settings/variables.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

interface Options extends Readonly<Record<string, string | boolean | undefined>> {
  readonly config?: string;
  readonly json?: boolean;
}

/** The `portico` command: runs it and gives its exit code. */
export const run = async (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> => {
  let exitCode = 0;

  /** A command that needs settings: loads them, or says everything that is wrong with them. */
  const withSettings =
    (action: (loaded: LoadedSettings, json: boolean) => number | Promise<number>) =>
    async (options: Options): Promise<void> => {
      const json = options.json === true;
      const loaded = loadSettings({ flags: flagsOf(options), env });
      exitCode = await loaded.match(
        (settings) => action(settings, json),
        (problems) =>
          refuse(`${problems.length} problem${problems.length > 1 ? 's' : ''} with the settings`, problems, json),
      );
    };

  const program = new Command('portico')
    .description('Member portal of a health insurer, and federated search on Beckn networks')
    .version(version)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(withoutValue(text).replace(/^error: /, 'portico: ')) })
    .showHelpAfterError('(portico --help lists the commands)')
    .addHelpText(
      'after',
      `
Settings come from flags, then environment variables, then the settings file, then defaults.
Exit codes: 0 done, 1 internal error, 2 wrong usage or settings.

Examples:
  $ portico config schema                         what can be set
  $ portico config check --config portico.json    is it right?
  $ portico serve --config portico.json`,
    );

  settingsCommand(program.command('serve'))
    .summary('run the HTTP server')
    .description(
      'Run the HTTP server until SIGTERM or Ctrl-C. What is in flight may finish; a second Ctrl-C ends at once.',
    )
    .addHelpText('after', '\nExample:\n  $ portico serve --config portico.json --port 8080')
    .action(
      withSettings(async (loaded, json) => (await import('./commands/serve.ts')).serve(loaded, { json, version })),
    );

  const config = program
    .command('config')
    .description('check, print or describe the settings')
    .showHelpAfterError('(portico config --help lists the commands)');
  settingsCommand(config.command('check'))
    .description('say everything that is wrong with the settings')
    .addHelpText('after', '\nExample:\n  $ portico config check --config portico.json')
    .action(
      withSettings(async (loaded, json) => {
        process.stdout.write((await import('./commands/config.ts')).checkConfig(loaded, json));
        return 0;
      }),
    );
  settingsCommand(config.command('print'))
    .description('show the settings in force, without secrets, and where each comes from')
    .addHelpText('after', '\nExample:\n  $ PORT=9090 portico config print --json')
    .action(
      withSettings(async (loaded, json) => {
        process.stdout.write((await import('./commands/config.ts')).printConfig(loaded, json));
        return 0;
      }),
    );
  commonOptions(config.command('schema'))
    .description('print the JSON Schema of the settings file')
    .addHelpText('after', '\nExample:\n  $ portico config schema > portico.schema.json')
    .action(async () => {
      process.stdout.write((await import('./commands/config.ts')).configSchema());
    });

  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    if (args.includes('--json')) printProblems([usageProblem(error)]);
    return 2;
  }
};

const commonOptions = (command: Command): Command =>
  command
    .showHelpAfterError(`(${nameOf(command)} --help lists the options)`)
    .option('--config <file>', 'settings file, JSON (PORTICO_CONFIG)', valueOfItsOwn)
    .option('--json', 'print exactly one JSON document');

const settingsCommand = (command: Command): Command => {
  commonOptions(command);
  for (const { flag, env, help } of variables)
    if (flag !== undefined) command.option(`${flag} <value>`, `${help} (${env})`, valueOfItsOwn);
  return command;
};

/** Commander would take the next option for the value of one that has none. */
const valueOfItsOwn = (value: string): string => {
  if (value.startsWith('--')) throw new InvalidArgumentError('Its own value is missing.');
  return value;
};

const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

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

/** An option that does not exist may still have been given a password. */
const withoutValue = (text: string): string => text.replace(/('--?[^'=\s]+)=[^\n]*'/, "$1'");
