import { Argument, Command, Option } from 'commander';
import type { CommandRunner } from './call.ts';
import { addMemberCommands, expandDefaultSubcommands } from './member-program.ts';
import {
  common,
  examples,
  group,
  given,
  repeatable,
  sortSettingsLast,
  withCredentials,
  withMember,
  withSettings,
} from './options.ts';

/** Every command there is, with its help. Light: what a command does is loaded when it is called. */
export const buildProgram = (version: string, perform: CommandRunner): Command => {
  const program = new Command('portico')
    .description('Member portal of a health insurer, and federated search on Beckn networks')
    .version(version)
    .showHelpAfterError('(portico --help lists the commands)')
    .configureHelp({ groupItems: sortSettingsLast })
    .addHelpText('after', overview);

  withSettings(program.command('serve'))
    .summary('run the HTTP server')
    .description(
      'Run the HTTP server until SIGTERM, SIGHUP or Ctrl-C. What is in flight may finish; a second signal ends at once.',
    )
    .addHelpText('after', examples('portico serve --port 9090'))
    .action(perform(async () => (await import('../commands/serve.ts')).serve));

  withCredentials(withSettings(program.command('token')))
    .summary('get an access token')
    .description(
      'Ask the identity provider for an access token and print it. User name and password come from PORTICO_USERNAME and PORTICO_PASSWORD, or are asked for on a terminal.',
    )
    .addHelpText('after', examples('export PORTICO_TOKEN=$(portico token)', 'portico token --json'))
    .action(perform(async () => (await import('../commands/identity.ts')).token, 'identity'));

  addMemberCommands(program, perform);

  withMember(program.command('journey'))
    .summary('run the preferences journey and report')
    .description(
      'Run these steps in order and report on each: token, preferences, own preferences, update, read back, notifications, log. Without --set one preference is inverted; the preferences are put back as they were, unless --keep is given. Nothing is written for a member who never set preferences, unless --write-first-preferences is given. Credentials can be used instead of a token.',
    )
    .option('--set <name=on...>', 'preferences to set, such as email=on sms=off', repeatable)
    .option('--keep', 'leave the update in place')
    .option('--write-first-preferences', 'also update a member who never set preferences; this cannot be undone')
    .addOption(
      new Option('--read-only', 'run only the steps that read').conflicts(['set', 'keep', 'writeFirstPreferences']),
    )
    .addHelpText('after', examples('portico journey', 'portico journey --set email=on sms=off --json'))
    .action(perform(async () => (await journey()).journey));

  withSettings(program.command('search'))
    .summary('search all networks at once')
    .description(
      'Put one query to every leg and show the answers side by side. Callbacks are answered on listen.host and listen.port while it waits; --server asks a portico that is running instead.',
    )
    .argument('<query>', 'what to search for')
    .requiredOption('--persona <persona>', 'who is searching, such as member', given)
    .requiredOption('--user-id <id>', 'id of the caller', given)
    .option('--server <url>', 'address of a running portico', given)
    .addHelpText(
      'after',
      examples('portico search health --persona member --user-id demo --server http://127.0.0.1:8080'),
    )
    .action(perform(async () => (await search()).search));

  withSettings(program.command('legs'))
    .description('list the networks that a search is put to')
    .addHelpText('after', examples('portico legs'))
    .action(perform(async () => (await search()).listLegs));

  const configGroup = group(program.command('config'), 'check, print or describe the settings', 'portico config check');
  withSettings(configGroup.command('check'))
    .description('say everything that is wrong with the settings')
    .addHelpText('after', examples('portico config check'))
    .action(perform(async () => (await config()).check));
  withSettings(configGroup.command('print'))
    .description('show the settings in force, without secrets, and where each comes from')
    .addHelpText('after', examples('PORT=9090 portico config print --json'))
    .action(perform(async () => (await config()).print));
  common(configGroup.command('schema'))
    .description('print the JSON Schema of the settings file')
    .addHelpText('after', examples('portico config schema > portico.schema.json'))
    .action(perform(async () => (await config()).schema, 'nothing'));

  addCompletion(program);
  return program;
};

/** A script for the shell, which asks the hidden command `complete` for what may come next. */
const addCompletion = (program: Command): void => {
  program
    .command('completion')
    .description('print a script that makes the shell complete commands and options')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .showHelpAfterError('(portico completion --help lists the shells)')
    .addHelpText('after', examples('source <(portico completion bash)'))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      process.stdout.write((await completion()).completionScripts[shell]);
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      process.stdout.write((await completion()).complete(program, expandDefaultSubcommands(words)));
    });
};

const journey = () => import('../commands/preferences-journey.ts');
const search = () => import('../commands/search.ts');
const config = () => import('../commands/config.ts');
const completion = () => import('./completion.ts');

const overview = `
Settings come from flags, then environment variables, then the settings file, then defaults.
Exit codes: 0 done, 1 internal error, 2 wrong usage or settings, 3 not found, 4 a service or every leg failed,
5 unauthenticated; 130 ended by Ctrl-C.

Examples:
  $ export PORTICO_TOKEN=$(portico token)
  $ portico me coverage
  $ portico journey`;
