import { type Command, Help, InvalidArgumentError, Option } from 'commander';
import { listOptions } from '../session/list-query.ts';
import { variables } from '../settings/variables.ts';

export const group = (command: Command, description: string, example: string): Command =>
  command
    .description(description)
    .showHelpAfterError(`(${nameOf(command)} --help lists the commands)`)
    .addHelpText('after', examples(example));

export const common = (command: Command): Command =>
  command
    .showHelpAfterError(`(${nameOf(command)} --help lists the options)`)
    .option('--config <file>', 'settings file, JSON (PORTICO_CONFIG)', ownValue)
    .option('--json', 'print exactly one JSON document')
    .option('--verbose', 'show where an internal error happened');

export const withSettings = (command: Command): Command => {
  common(command);
  for (const { flag, env, help } of variables)
    if (flag !== undefined)
      command.addOption(new Option(`${flag} <value>`, `${help} (${env})`).argParser(ownValue).helpGroup(settingsGroup));
  return command;
};

const settingsGroup = 'Settings:';

/** What every command has in common comes after what is its own. */
export const sortSettingsLast = <T extends Command | Option>(
  unsorted: T[],
  visible: T[],
  groupOf: (item: T) => string,
): Map<string, T[]> => {
  const groups = new Help().groupItems(unsorted, visible, groupOf);
  const settings = groups.get(settingsGroup) ?? [];
  if (groups.delete(settingsGroup)) groups.set(settingsGroup, settings);
  return groups;
};

export const withCredentials = (command: Command): Command =>
  command
    .addOption(
      new Option('--grant <type>', 'how to ask for a token')
        .choices(['password', 'client_credentials'])
        .default('password')
        .helpGroup('Sign-in:'),
    )
    .addOption(
      new Option('--client-id <id>', 'our id at the identity provider (PORTICO_CLIENT_ID; default portico-cli)')
        .argParser(given)
        .helpGroup('Sign-in:'),
    )
    .addOption(new Option('--scope <scope>', 'scopes to ask for').argParser(given).helpGroup('Sign-in:'));

export const withMember = (command: Command): Command => {
  withSettings(command)
    .addOption(
      new Option('--token-file <file>', 'file that holds the access token; else PORTICO_TOKEN')
        .argParser(given)
        .helpGroup('Sign-in:'),
    )
    .addOption(new Option('--token-stdin', 'read the access token from stdin').helpGroup('Sign-in:'));
  return withCredentials(command);
};

export const withListing = (command: Command): Command => {
  for (const [name, help] of Object.entries(listOptions))
    command.addOption(
      new Option(`--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} <value>`, help)
        .argParser(ownValue)
        .helpGroup('List:'),
    );
  return command;
};

/** Commander would take the next option for the value of one that has none. An empty setting is one that is not set. */
const ownValue = (value: string): string => {
  if (value.startsWith('--')) throw new InvalidArgumentError('Its own value is missing.');
  return value;
};

/** What is no setting has no value to fall back on: an unset variable of the shell would change what is meant. */
export const given = (value: string): string => {
  if (value === '') throw new InvalidArgumentError('Its value is empty.');
  return ownValue(value);
};

/** The same for an option that takes several. */
export const repeatable = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  given(value),
];

const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

/** Lines that work when they are pasted, where PORTICO_CONFIG and PORTICO_TOKEN are set. */
export const examples = (...lines: readonly string[]): string =>
  `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
