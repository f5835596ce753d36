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
    .addOption(
      new Option('--config <file>', 'JSON settings file (PORTICO_CONFIG)')
        .argParser(valueNotOption)
        .helpGroup(commonGroup),
    )
    .addOption(new Option('--json', 'print exactly one JSON document').helpGroup(commonGroup))
    .addOption(
      new Option('--verbose', 'print each request to a service, and a stack trace on internal errors').helpGroup(
        commonGroup,
      ),
    );

export const withSettings = (command: Command): Command => {
  common(command);
  for (const { flag, env, help } of variables)
    if (flag !== undefined)
      command.addOption(
        new Option(`${flag} <value>`, `${help} (${env})`).argParser(valueNotOption).helpGroup(settingsGroup),
      );
  return command;
};

/** Commander's default group. */
const ownGroup = 'Options:';
const commonGroup = 'Common options:';
const settingsGroup = 'Settings:';

/** Groups options for the help: a command's own options first, the options of all commands last. */
export const sortCommonLast = <T extends Command | Option>(
  unsorted: T[],
  visible: T[],
  groupOf: (item: T) => string,
): Map<string, T[]> => {
  const groups = new Help().groupItems(unsorted, visible, groupOf);
  const ranks = new Map([
    [ownGroup, 0],
    [commonGroup, 2],
    [settingsGroup, 3],
  ]);
  const rank = (name: string) => ranks.get(name) ?? 1;
  return new Map([...groups].toSorted(([one], [other]) => rank(one) - rank(other)));
};

export const withCredentials = (command: Command): Command =>
  command
    .addOption(
      new Option('--grant <type>', 'OAuth grant type')
        .choices(['password', 'client_credentials'])
        .default('password')
        .helpGroup('Sign-in:'),
    )
    .addOption(
      new Option(
        '--client-id <id>',
        'OAuth client id (PORTICO_CLIENT_ID; default portico-cli); its secret is read from PORTICO_CLIENT_SECRET',
      )
        .argParser(requiredValue)
        .helpGroup('Sign-in:'),
    )
    .addOption(new Option('--scope <scope>', 'OAuth scopes to request').argParser(requiredValue).helpGroup('Sign-in:'));

export const withMember = (command: Command): Command => withCredentials(withToken(command));

export const withToken = (command: Command): Command =>
  withSettings(command)
    .addOption(
      new Option('--token-file <file>', 'file with the access token; overrides PORTICO_TOKEN')
        .argParser(requiredValue)
        .helpGroup('Sign-in:'),
    )
    .addOption(new Option('--token-stdin', 'read the access token from stdin').helpGroup('Sign-in:'));

export const withListing = (command: Command): Command => {
  for (const [name, help] of Object.entries(listOptions))
    command.addOption(
      new Option(`--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} <value>`, help)
        .argParser(valueNotOption)
        .helpGroup('List:'),
    );
  return command;
};

/** Rejects an option in place of a value, which commander would accept. An empty value is allowed: the setting is not set. */
const valueNotOption = (value: string): string => {
  if (value.startsWith('--')) throw new InvalidArgumentError('A value is required.');
  return value;
};

/** Rejects an empty value too. Options that are not settings have no fallback, and an unset shell variable is empty. */
export const requiredValue = (value: string): string => {
  if (value === '') throw new InvalidArgumentError('The value must not be empty.');
  return valueNotOption(value);
};

/** Collects the values of an option that can be repeated. */
export const repeatable = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  requiredValue(value),
];

/** Capitalizes the description of a command, which is lower-case in lists of commands, and adds a full stop. */
export const asSentence = (description: string): string =>
  `${description.charAt(0).toUpperCase()}${description.slice(1).replace(/\.$/, '')}.`;

/** Parses a duration for a timer, in milliseconds. */
export const milliseconds = (value: string): string => {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be an integer from 1 to 999999999.');
  return value;
};

const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

/** Formats examples for the help. They work as printed when PORTICO_CONFIG and PORTICO_TOKEN are set. */
export const examples = (...lines: readonly string[]): string =>
  `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
