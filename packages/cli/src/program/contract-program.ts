import { Argument, type Command } from 'commander';
import type { CommandRunner } from '../session/command.ts';
import { contractDefaults } from '../session/option-defaults.ts';
import { commonGroup, examples, outputGroup, signInGroup } from './help.ts';
import { builtInServices } from '../settings/built-in-services.ts';
import { common, milliseconds, optionOf, requiredValue, withFormats } from './options.ts';

/** Adds `portico contract`. */
export const addContractCommand = (program: Command, runCommand: CommandRunner): void => {
  withFormats(common(program.command('contract')))
    .summary('test a running service against its contract')
    .description(
      'Run the contract suite of a service. The tokens of the test members are in PORTICO_CONTRACT_TOKEN and PORTICO_CONTRACT_{OTHER,UNKNOWN}_TOKEN.',
    )
    // `choices` is for the completion; another name may be a service of the settings file.
    .addArgument(new Argument('<service>', 'service to test').choices(builtInServices).argParser(String))
    .requiredOption('--url <url>', 'base URL of the service', requiredValue)
    .option('--write', 'also test promises that change data')
    .option('--resource <locator>', 'a claim or document of the first member', requiredValue)
    .option('--unmatched <name=value>', 'a list parameter that excludes the resource', requiredValue)
    .option('--coverage <part>', "a part of only the first member's coverage", requiredValue)
    .option('--accumulators <part>', "a part of only the first member's accumulators", requiredValue)
    .option('--profile <part>', "a part of only the first member's profile", requiredValue)
    .addOption(optionOf(signInGroup, '--member <locator>', memberHelp('first')))
    .addOption(optionOf(signInGroup, '--other <locator>', memberHelp('other')))
    .addOption(optionOf(signInGroup, '--unknown <locator>', memberHelp('unknown')))
    .addOption(optionOf(commonGroup, '--requests <file>', 'requests of a service of your own, by route'))
    .addOption(optionOf(outputGroup, '--junit <file>', 'also write the report as JUnit XML'))
    .addOption(
      optionOf(
        commonGroup,
        '--timeout <ms>',
        `timeout of one request, in milliseconds (default ${contractDefaults.timeoutMs})`,
        milliseconds,
      ),
    )
    .addHelpText('after', examples('portico contract claims --url https://claims.test --resource CLM-1'))
    .action(runCommand(async () => (await import('../contract/contract.ts')).contract));
};

const memberHelp = (role: string): string => `locator of the ${role} member, if it is not in the token`;
