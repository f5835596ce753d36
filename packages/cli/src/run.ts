import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { type LoadedSettings, loadSettings } from './settings/load.ts';
import { showProblems } from './settings/show.ts';
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
      exitCode = loaded.isOk() ? await action(loaded.value, json) : refuse(loaded.error, json);
    };

  const program = new Command('portico')
    .description('Member portal, preferences journey and federated search')
    .version(version)
    .exitOverride()
    .showHelpAfterError('(portico --help lists the commands)');

  settingsCommand(program.command('serve'))
    .description('run the HTTP server')
    .addHelpText('after', '\nExample:\n  $ portico serve --config portico.json --port 8080')
    .action(withSettings(async ({ settings }, json) => (await import('./commands/serve.ts')).serve(settings, json)));

  const config = program.command('config').description('look at the settings');
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
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
};

const commonOptions = (command: Command): Command =>
  command
    .option('--config <file>', 'settings file, JSON (PORTICO_CONFIG)')
    .option('--json', 'print exactly one JSON document');

const settingsCommand = (command: Command): Command => {
  commonOptions(command);
  for (const { flag, env, help } of variables)
    if (flag !== undefined) command.option(`${flag} <value>`, `${help} (${env})`);
  return command;
};

/** Commander's camel-cased options under the names that were typed. */
const flagsOf = (options: Options): Record<string, string> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      typeof value === 'string'
        ? [[`--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, value]]
        : [],
    ),
  );

const refuse = (problems: Parameters<typeof showProblems>[0], json: boolean): number => {
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, problems })}\n`);
  process.stderr.write(`portico: ${problems.length} problem${problems.length > 1 ? 's' : ''} with the settings\n`);
  process.stderr.write(showProblems(problems));
  return 2;
};
