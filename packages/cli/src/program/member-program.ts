import type { Command } from 'commander';
import { examples, group, given, withListing, withMember } from './options.ts';
import type { CommandRunner } from './call.ts';

/** What the commands do, noun by noun, loaded when one is called. */
const eligibility = () => import('../commands/eligibility.ts');
const claims = () => import('../commands/claims.ts');
const documents = () => import('../commands/documents.ts');
const policy = () => import('../commands/policy.ts');
const consent = () => import('../commands/consent.ts');
const notifications = () => import('../commands/notifications.ts');

export const addMemberCommands = (program: Command, perform: CommandRunner): void => {
  const me = group(program.command('me'), "read and change a member's own data", 'portico me coverage');

  withMember(me.command('coverage'))
    .description('the active coverage')
    .addHelpText('after', examples('portico me coverage'))
    .action(perform(async () => (await eligibility()).coverage));
  withMember(me.command('accumulators'))
    .description('how much of each limit is used')
    .addHelpText('after', examples('portico me accumulators'))
    .action(perform(async () => (await eligibility()).accumulators));

  const claimsGroup = group(me.command('claims'), 'list, read and submit claims', 'portico me claims');
  withListing(withMember(claimsGroup.command('list')))
    .description('all claims')
    .addHelpText('after', examples('portico me claims list --status paid'))
    .action(perform(async () => (await claims()).listClaims));
  withMember(claimsGroup.command('get'))
    .description('one claim')
    .argument('<locator>', 'locator of the claim')
    .addHelpText('after', examples('portico me claims get CLM-1001-01'))
    .action(perform(async () => (await claims()).getClaim));
  withMember(claimsGroup.command('submit'))
    .description('submit a claim, a JSON object')
    .argument('<file>', 'file with the claim, or - for stdin')
    .option('--idempotency-key <key>', 'the same key submits the claim once, where the claims system knows it', given)
    .addHelpText('after', examples(`echo '{"type":"dental","amount":84.5}' | portico me claims submit -`))
    .action(perform(async () => (await claims()).submitClaim));

  const documentsGroup = group(me.command('documents'), 'list documents and fetch their PDFs', 'portico me documents');
  withListing(withMember(documentsGroup.command('list')))
    .description('all documents')
    .addHelpText('after', examples('portico me documents list --type eob --json'))
    .action(perform(async () => (await documents()).listDocuments));
  withMember(documentsGroup.command('get'))
    .description('one document as a PDF: to a file that is there whole or not at all, or to stdout')
    .argument('<locator>', 'locator of the document')
    .option('-o, --output <file>', 'file to write; - is stdout', given)
    .addHelpText('after', examples('portico me documents get DOC-EOB-1001-05 -o eob.pdf'))
    .action(perform(async () => (await documents()).getDocument));

  const profileGroup = group(me.command('profile'), 'the party details', 'portico me profile');
  withMember(profileGroup.command('show'))
    .description('the party details')
    .addHelpText('after', examples('portico me profile'))
    .action(perform(async () => (await policy()).showProfile));
  withMember(profileGroup.command('set'))
    .description('change what a JSON object names (a merge patch, RFC 7396)')
    .argument('<file>', 'file with the changes, or - for stdin')
    .addHelpText('after', examples(`echo '{"preferredName":"Sample"}' | portico me profile set -`))
    .action(perform(async () => (await policy()).setProfile));

  const consentGroup = group(me.command('consent'), 'the consent state', 'portico me consent');
  withMember(consentGroup.command('show'))
    .description('the current consent state')
    .addHelpText('after', examples('portico me consent'))
    .action(perform(async () => (await consent()).showConsent));
  withMember(consentGroup.command('set'))
    .description('replace the consent state by a JSON object')
    .argument('<file>', 'file with the consent state, or - for stdin')
    .addHelpText('after', examples('portico me consent --json | portico me consent set -'))
    .action(perform(async () => (await consent()).setConsent));

  const preferencesGroup = group(me.command('preferences'), 'notification preferences', 'portico me preferences');
  withMember(preferencesGroup.command('show'))
    .description('the six preferences')
    .addHelpText('after', examples('portico me preferences'))
    .action(perform(async () => (await notifications()).showPreferences));
  withMember(preferencesGroup.command('set'))
    .description('change the preferences that are named and leave the others')
    .argument('<name=on...>', 'such as email=on sms=off')
    .addHelpText('after', examples('portico me preferences set email=on sms=off'))
    .action(perform(async () => (await notifications()).setPreferences));

  const notificationsGroup = group(
    me.command('notifications'),
    'notifications and their log',
    'portico me notifications',
  );
  withListing(withMember(notificationsGroup.command('list')))
    .description('the notifications, as the banner shows them')
    .addHelpText('after', examples('portico me notifications'))
    .action(perform(async () => (await notifications()).listNotifications));
  withListing(withMember(notificationsGroup.command('log')))
    .description('what was sent, and by which channel')
    .addHelpText('after', examples('portico me notifications log --limit 3'))
    .action(perform(async () => (await notifications()).readLog));
};

/** The command that a group stands for when none is named: `portico me claims` lists. */
const usual = {
  claims: 'list',
  documents: 'list',
  notifications: 'list',
  profile: 'show',
  consent: 'show',
  preferences: 'show',
};

/**
 * What was typed, as commander understands it. With a default command of its own it would take a misspelt one for an
 * argument, and its `help` looks at one word only.
 */
export const expandDefaultSubcommands = (args: readonly string[]): readonly string[] => {
  const [first = '', noun = '', next] = args;
  if (first === 'help') return [...args.slice(1), '--help'];
  const command = first === 'me' && Object.hasOwn(usual, noun) ? usual[noun as keyof typeof usual] : undefined;
  if (command === undefined || ['--help', '-h'].includes(next ?? '') || (next !== undefined && !next.startsWith('-')))
    return args;
  return [first, noun, command, ...args.slice(2)];
};
