import { Argument, type Command, Option } from 'commander';
import type { Preferences } from '@portico/core';
import type { CommandRunner } from '../session/command.ts';
import { examples } from './help.ts';
import {
  group,
  repeatable,
  requiredValue,
  withListing,
  withMember,
  withReading,
  withSession,
  withWriting,
} from './options.ts';

/** The names of the preferences, for the help. Listed here instead of imported: the help must not load the core. */
export const preferenceNamesText = Object.keys({
  email: true,
  sms: true,
  push: true,
  claimsUpdates: true,
  billingAlerts: true,
  enrollmentReminders: true,
} satisfies Record<keyof Preferences, true>).join(', ');

// The command handlers are loaded when a command runs.
const eligibility = () => import('../commands/eligibility.ts');
const claims = () => import('../commands/claims.ts');
const documents = () => import('../commands/documents.ts');
const policy = () => import('../commands/policy.ts');
const consent = () => import('../commands/consent.ts');
const notifications = () => import('../commands/notifications.ts');
const page = () => import('../commands/page.ts');
const api = () => import('../commands/api/api.ts');

export const addMemberCommands = (program: Command, runCommand: CommandRunner): void => {
  const me = group(program.command('me'), "read and change the member's data", 'portico me', 'portico me coverage');

  withMember(me.command('page'))
    .description('read several parts at once; "portico me" runs it')
    .option('--include <names>', 'parts to read, separated by commas (default: all)', requiredValue)
    .addHelpText('after', examples('portico me', 'portico me --include coverage,claims --json'))
    .action(runCommand(async () => (await page()).page));
  withReading(me.command('coverage'))
    .description('show the active coverage')
    .addHelpText('after', examples('portico me coverage'))
    .action(runCommand(async () => (await eligibility()).coverage));
  withReading(me.command('accumulators'))
    .description('show the deductible and out-of-pocket accumulators')
    .addHelpText('after', examples('portico me accumulators'))
    .action(runCommand(async () => (await eligibility()).accumulators));

  addClaimCommands(me, runCommand);
  addDocumentCommands(me, runCommand);

  const profileGroup = group(me.command('profile'), 'show or update the profile', 'portico me profile');
  withReading(profileGroup.command('show'))
    .description('show the profile')
    .addHelpText('after', examples('portico me profile'))
    .action(runCommand(async () => (await policy()).showProfile));
  withWriting(profileGroup.command('set'))
    .description('update the profile with a JSON merge patch (RFC 7396)')
    .argument('<file>', 'file with the merge patch, or - for stdin')
    .addHelpText('after', examples(`echo '{"preferredName":"Sample"}' | portico me profile set -`))
    .action(runCommand(async () => (await policy()).setProfile));

  const consentGroup = group(me.command('consent'), 'show or replace the consent state', 'portico me consent');
  withReading(consentGroup.command('show'))
    .description('show the consent state')
    .addHelpText('after', examples('portico me consent'))
    .action(runCommand(async () => (await consent()).showConsent));
  withWriting(consentGroup.command('set'))
    .description('replace the consent state with a JSON object')
    .argument('<file>', 'file with the consent state, or - for stdin')
    .addHelpText('after', examples('portico me consent --json | portico me consent set -'))
    .action(runCommand(async () => (await consent()).setConsent));

  addNotificationCommands(me, runCommand);
  addApiCommand(me, runCommand);
};

const addClaimCommands = (me: Command, runCommand: CommandRunner): void => {
  const claimsGroup = group(me.command('claims'), 'list, read and submit claims', 'portico me claims');
  withListing(withReading(claimsGroup.command('list')))
    .description('list claims')
    .addHelpText('after', examples('portico me claims list --status paid'))
    .action(runCommand(async () => (await claims()).listClaims));
  withReading(claimsGroup.command('get'))
    .description('show one claim')
    .argument('<locator>', 'locator of the claim')
    .addHelpText('after', examples('portico me claims get CLM-1001-01'))
    .action(runCommand(async () => (await claims()).getClaim));
  withWriting(claimsGroup.command('submit'))
    .description('submit a claim (a JSON object)')
    .argument('<file>', 'file with the claim, or - for stdin')
    .option(
      '--idempotency-key <key>',
      'submit the claim only once for this key, if the claims service supports it',
      requiredValue,
    )
    .addHelpText('after', examples(`echo '{"type":"dental","amount":84.5}' | portico me claims submit -`))
    .action(runCommand(async () => (await claims()).submitClaim));
};

const addDocumentCommands = (me: Command, runCommand: CommandRunner): void => {
  const documentsGroup = group(
    me.command('documents'),
    'list documents and download their PDFs',
    'portico me documents',
  );
  withListing(withReading(documentsGroup.command('list')))
    .description('list documents')
    .addHelpText('after', examples('portico me documents list --type eob --json'))
    .action(runCommand(async () => (await documents()).listDocuments));
  withSession(documentsGroup.command('get'))
    .description('download a document as a PDF, to a file or to stdout')
    .argument('<locator>', 'locator of the document')
    .option('-o, --output <file>', 'file to write, or - for stdout (the default)', requiredValue)
    .addHelpText('after', examples('portico me documents get DOC-EOB-1001-05 -o eob.pdf'))
    .action(runCommand(async () => (await documents()).getDocument));
};

/** Adds the commands of the notifications service: preferences, notifications and delivery log. */
const addNotificationCommands = (me: Command, runCommand: CommandRunner): void => {
  const preferencesGroup = group(
    me.command('preferences'),
    'show or change notification preferences',
    'portico me preferences',
  );
  withReading(preferencesGroup.command('show'))
    .description('show the six notification preferences')
    .addHelpText('after', examples('portico me preferences'))
    .action(runCommand(async () => (await notifications()).showPreferences));
  withWriting(preferencesGroup.command('set'))
    .description('change the named preferences and keep the others')
    .argument('<name=on...>', `preferences to change, such as email=on sms=off; names: ${preferenceNamesText}`)
    .addHelpText('after', examples('portico me preferences set email=on sms=off'))
    .action(runCommand(async () => (await notifications()).setPreferences));

  const notificationsGroup = group(
    me.command('notifications'),
    'list notifications and delivery log entries',
    'portico me notifications',
  );
  withListing(withReading(notificationsGroup.command('list')))
    .description('list notifications')
    .addHelpText('after', examples('portico me notifications'))
    .action(runCommand(async () => (await notifications()).listNotifications));
  withListing(withReading(notificationsGroup.command('log')))
    .description('list delivery log entries')
    .addHelpText('after', examples('portico me notifications log --limit 3'))
    .action(runCommand(async () => (await notifications()).readLog));
};

const addApiCommand = (me: Command, runCommand: CommandRunner): void => {
  withMember(me.command('api'))
    .summary('send a request to any member route')
    .description(
      'Send a request to any member route, also of a service of your own. Calls the services in the settings directly, or a running portico with --server. A document is written to stdout.',
    )
    .addArgument(new Argument('<method>', 'method of the request').choices(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .argument('<path>', 'path of the route, such as /me/coverage')
    .option('--query <name=value>', 'query parameter; can be repeated', repeatable)
    .option('--input <file>', 'file with the JSON body, or - for stdin', requiredValue)
    .addOption(new Option('--server <url>', 'URL of a running portico').argParser(requiredValue))
    .addHelpText(
      'after',
      examples(
        'portico me api GET /me/claims --query status=paid',
        `echo '{"city":"Ulm"}' | portico me api PATCH /me/profile --input -`,
      ),
    )
    .action(runCommand(async () => (await api()).api));
};

/** The subcommand that runs when none is given: `portico me claims` runs `list`, and `portico me` runs `page`. */
const defaultSubcommands = {
  claims: 'list',
  documents: 'list',
  notifications: 'list',
  profile: 'show',
  consent: 'show',
  preferences: 'show',
};

/**
 * Adds the default subcommand, and rewrites `help <command>` to `<command> --help`. Commander's own default subcommands
 * would treat a misspelt subcommand as an argument, and its `help` accepts only one word.
 */
export const expandDefaultSubcommands = (args: readonly string[]): readonly string[] => {
  const [first = '', noun = '', next] = args;
  if (first === 'help') return [...args.slice(1), '--help'];
  if (first === 'me' && (noun === '' || noun.startsWith('-')) && !['--help', '-h', '--help-all'].includes(noun))
    return [first, 'page', ...args.slice(1)];
  const command =
    first === 'me' && Object.hasOwn(defaultSubcommands, noun)
      ? defaultSubcommands[noun as keyof typeof defaultSubcommands]
      : undefined;
  if (command === undefined || ['--help', '-h'].includes(next ?? '') || (next !== undefined && !next.startsWith('-')))
    return args;
  return [first, noun, command, ...args.slice(2)];
};
