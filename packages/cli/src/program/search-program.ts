import type { OfferOrder } from '@portico/core';
import { type Command, Option } from 'commander';
import type { CommandRunner } from '../session/command.ts';
import { examples } from './help.ts';
import { repeatable, requiredValue, withFormats, withSettings } from './options.ts';

/** Listed here instead of imported: the help must not load the core. */
const offerOrders = Object.keys({
  name: true,
  price: true,
  distance: true,
  rating: true,
} satisfies Record<OfferOrder, true>);

const search = () => import('../commands/search/search.ts');

export const addSearchCommands = (program: Command, runCommand: CommandRunner): void => {
  withFormats(withSettings(program.command('search')))
    .summary('search all networks at once')
    .description(
      'Send one query to every configured network at once and print the results. During the search, callbacks are received on listen.host and listen.port. With --server, a running portico runs the search instead.',
    )
    .argument('<query>', 'what to search for')
    .option('--persona <persona>', 'role in which you search', requiredValue, 'member')
    .option('--user-id <id>', 'id of the user who searches', requiredValue, 'cli')
    .option('--server <url>', 'URL of a running portico', requiredValue)
    .addOption(new Option('--sort <order>', 'sort the offers').choices(offerOrders))
    .addOption(new Option('--filter <text>', 'show offers with all of these words').argParser(requiredValue))
    .addOption(new Option('--network <leg>', 'show offers of this leg; can be repeated').argParser(repeatable))
    .addHelpText('after', examples('portico search health --server http://127.0.0.1:8080 --sort price'))
    .action(runCommand(async () => (await search()).search));

  withFormats(withSettings(program.command('legs')))
    .description('list the legs: the networks that a search queries')
    .addHelpText('after', examples('portico legs'))
    .action(runCommand(async () => (await search()).listLegs));
};
