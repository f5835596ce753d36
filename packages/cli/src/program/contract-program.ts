import { Argument, type Command } from 'commander';
import type { CommandRunner } from '../session/command.ts';
import { contractDefaults } from '../session/option-defaults.ts';
import { commonGroup, examples, outputGroup, signInGroup } from './help.ts';
import { builtInServices } from '../settings/built-in-services.ts';
import { common, milliseconds, requiredValue, withFormats } from './options.ts';

/** Adds `portico contract`. */
export const addContractCommand = (program: Command, runCommand: CommandRunner): void => {
  const command = withFormats(common(program.command('contract')))
    .summary('test a running service against its contract')
    .description(
      'Run the contract suite of a service. The tokens of the test members are in PORTICO_CONTRACT_TOKEN and PORTICO_CONTRACT_{OTHER,UNKNOWN}_TOKEN.',
    )
    // `choices` is for the completion; another name may be a service of the settings file.
    .addArgument(new Argument('<service>', 'service to test').choices(builtInServices).argParser(String))
    .requiredOption('--url <url>', 'base URL of the service', requiredValue)
    .option('--write', 'also test promises that change data');
  const add = (options: Readonly<Record<string, string>>, heading?: string) => {
    for (const [flags, help] of Object.entries(options)) {
      const option = command.createOption(flags, help).argParser(requiredValue);
      command.addOption(heading === undefined ? option : option.helpGroup(heading));
    }
  };
  add({
    '--resource <locator>': 'a claim or document of the first member',
    '--unmatched <name=value>': 'a list parameter that excludes the resource',
    '--coverage <part>': "a part of only the first member's coverage",
    '--accumulators <part>': "a part of only the first member's accumulators",
    '--profile <part>': "a part of only the first member's profile",
  });
  add(
    {
      '--member <locator>': 'locator of the first member, if it is not in the token',
      '--other <locator>': 'locator of the other member, if it is not in the token',
      '--unknown <locator>': 'locator of the unknown member, if it is not in the token',
    },
    signInGroup,
  );
  add({ '--requests <file>': 'requests of a service of your own, by route' }, commonGroup);
  add({ '--junit <file>': 'also write the report as JUnit XML' }, outputGroup);
  command
    .addOption(
      command
        .createOption(
          '--timeout <ms>',
          `timeout of one request, in milliseconds (default ${contractDefaults.timeoutMs})`,
        )
        .argParser(milliseconds)
        .helpGroup(commonGroup),
    )
    .addHelpText('after', examples('portico contract claims --url https://claims.test --resource CLM-1'))
    .action(runCommand(async () => (await import('../contract/contract.ts')).contract));
};
