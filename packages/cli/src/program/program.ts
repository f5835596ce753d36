import { Argument, Command, Option } from 'commander';
import type { CommandRunner } from '../session/command.ts';
import { addContractCommand } from './contract-program.ts';
import { doctorDefaults, initDefaults } from '../session/option-defaults.ts';
import { addMemberCommands, expandDefaultSubcommands, preferenceNamesText } from './member-program.ts';
import { addSearchCommands } from './search-program.ts';
import { exitCodes } from '../output/exit-code.ts';
import { examples, helpConfiguration } from './help.ts';
import {
  common,
  group,
  milliseconds,
  repeatable,
  withClient,
  withCredentials,
  withFormats,
  withMember,
  withModule,
  withSettings,
  withToken,
} from './options.ts';

/**
 * Builds all commands with their help; with `everyOption`, the help describes the options of all commands too. Fast to
 * load: the command handlers are imported when they run.
 */
export const buildProgram = (version: string, runCommand: CommandRunner, everyOption = false): Command => {
  const program = new Command('portico')
    .description('Member portal API of a health insurer, and federated search on Beckn networks')
    .version(version)
    .showHelpAfterError('(portico --help lists the commands)')
    .configureHelp(helpConfiguration(everyOption))
    .addHelpText('after', overview);

  withSettings(program.command('serve'))
    .summary('run the HTTP server')
    .description(
      'Run the HTTP server until SIGTERM, SIGHUP or Ctrl-C. Requests in flight are finished first; a second signal stops the server immediately.',
    )
    .addOption(withModule())
    .addHelpText('after', examples('portico serve --port 9090', 'portico serve --with ./portico.mjs'))
    .action(runCommand(async () => (await import('../commands/serve.ts')).serve));

  addSignInCommands(program, runCommand);
  addMemberCommands(program, runCommand);
  addJourneyCommand(program, runCommand);
  addSearchCommands(program, runCommand);
  addSettingsCommands(program, runCommand);

  withToken(program.command('doctor'))
    .summary('test every URL and key in the settings')
    .description(
      'Test all systems in the settings at once: identity provider and key set, services, networks, registry, callback URLs and Redis. No data of a member is read. With a token, also check it against each verification rule.',
    )
    .option(
      '--timeout <ms>',
      `deadline of each check, in milliseconds (default ${doctorDefaults.timeoutMs})`,
      milliseconds,
    )
    .addHelpText('after', examples('portico doctor', 'portico doctor --token-file token.txt'))
    .action(runCommand(async () => (await import('../doctor/doctor.ts')).doctor));

  addContractCommand(program, runCommand);
  addCompletion(program);
  return program;
};

const addSignInCommands = (program: Command, runCommand: CommandRunner): void => {
  withFormats(withCredentials(withSettings(program.command('token'))))
    .summary('get an access token')
    .description(
      'Request an access token from the identity provider and print it. The user name and password come from PORTICO_USERNAME and PORTICO_PASSWORD, or from a prompt on a terminal.',
    )
    .addHelpText('after', examples('export PORTICO_TOKEN=$(portico token)', 'portico token --json'))
    .action(runCommand(async () => (await import('../commands/identity.ts')).token, 'identity'));

  withClient(withSettings(program.command('login')))
    .summary('sign in with a browser')
    .description(
      'Sign in by device code: confirm the printed code in any browser. The token is saved in a file that only you can read, and is used by commands without another token.',
    )
    .addHelpText('after', examples('portico login'))
    .action(runCommand(async () => (await import('../commands/login.ts')).login, 'identity'));

  common(program.command('logout'))
    .description('remove the token that portico login saved')
    .addHelpText('after', examples('portico logout'))
    .action(runCommand(async () => (await import('../commands/login.ts')).logout, 'nothing'));
};

const addJourneyCommand = (program: Command, runCommand: CommandRunner): void => {
  withMember(program.command('journey'))
    .summary('run the preferences journey and report each step')
    .description(
      'Test the notification preferences of a member from end to end: read the preferences, update them, read the notifications, and report each step. Without --set, enrollmentReminders is inverted. Afterwards the original preferences are restored.',
    )
    .option('--set <name=on...>', `preferences to update; names: ${preferenceNamesText}`, repeatable)
    .option('--keep', 'do not restore the original preferences')
    .option('--write-first-preferences', 'update even if never set; cannot be undone')
    .addOption(
      new Option('--read-only', 'run only the steps that read').conflicts(['set', 'keep', 'writeFirstPreferences']),
    )
    .addHelpText('after', examples('portico journey', 'portico journey --set email=on sms=off --json'))
    .action(runCommand(async () => (await journey()).journey));
};

const addSettingsCommands = (program: Command, runCommand: CommandRunner): void => {
  const configGroup = group(program.command('config'), 'check, print or describe the settings', 'portico config check');
  withSettings(configGroup.command('check'))
    .description('check the settings and report every problem')
    .option('--allow-empty', 'accept settings that enable no API')
    .addOption(withModule())
    .addHelpText('after', examples('portico config check'))
    .action(runCommand(async () => (await config()).check));
  withSettings(configGroup.command('print'))
    .description('print the effective settings and their sources, with secrets hidden')
    .addHelpText('after', examples('PORT=9090 portico config print --json'))
    .action(runCommand(async () => (await config()).print));
  common(configGroup.command('schema'))
    .description('print the JSON Schema of the settings file')
    .addHelpText('after', examples('portico config schema > portico.schema.json'))
    .action(runCommand(async () => (await config()).schema, 'nothing'));

  common(program.command('init'))
    .summary('write a first settings file')
    .description(
      'Write a settings file after a few questions, and its JSON Schema beside it, which editors use to complete and check it. With --yes, or without a terminal, the file has example values.',
    )
    .argument('[file]', `file to write (default ${initDefaults.file})`)
    .option('--force', 'overwrite existing files')
    .option('--yes', 'use example values and do not prompt')
    .addHelpText('after', examples('portico init', 'portico init --yes settings/portico.json'))
    .action(runCommand(async () => (await import('../init/init.ts')).init, 'nothing'));
};

/** Adds the command that prints a completion script, and the hidden command `complete` that the script calls. */
const addCompletion = (program: Command): void => {
  program
    .command('completion')
    .description('print a shell script that completes commands and options')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(['bash', 'zsh', 'fish']))
    .showHelpAfterError('(portico completion --help lists the shells)')
    .addHelpText('after', examples('source <(portico completion bash)'))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      process.stdout.write((await completion()).completionScripts[shell]);
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      process.stdout.write((await completion()).complete(program, wordsToComplete(words)));
    });
};

/** The words after `help` are a command. Only an option completes a default subcommand: any other word may name another. */
const wordsToComplete = (typed: readonly string[]): readonly string[] => {
  const words = typed[0] === 'help' && typed.length > 1 ? typed.slice(1) : typed;
  return words.some((word) => word.startsWith('-')) ? expandDefaultSubcommands(words) : words;
};

const journey = () => import('../commands/preferences-journey.ts');
const config = () => import('../commands/config.ts');
const completion = () => import('./completion.ts');

const exitCodeLines = Object.entries({ ...exitCodes, 130: 'interrupted by Ctrl-C' })
  .map(([code, meaning]) => `  ${code.padEnd(3)}  ${meaning}`)
  .join('\n');

const overview = `
Precedence of settings: flag, environment variable, settings file, default.

Exit codes:
${exitCodeLines}

Examples:
  $ export PORTICO_TOKEN=$(portico token)
  $ portico me coverage
  $ portico journey`;
