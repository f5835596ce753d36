import { type Command, InvalidArgumentError, Option } from 'commander';
import { outputFormats } from '../output/cli-error.ts';
import { listOptions } from '../session/list-query.ts';
import { loginDefaults, watchDefaults } from '../session/option-defaults.ts';
import { maxMilliseconds, variables } from '../settings/variables.ts';
import { commonGroup, examples, outputGroup, settingsGroup, signInGroup } from './help.ts';

export const group = (command: Command, description: string, ...shown: readonly string[]): Command =>
  command
    .description(description)
    .showHelpAfterError(`(${nameOf(command)} --help lists the commands)`)
    .addHelpText('after', examples(...shown));

export const common = (command: Command): Command =>
  command
    .showHelpAfterError(`(${nameOf(command)} --help lists the options)`)
    .addOption(optionOf(commonGroup, '--config <file>', 'JSON settings file (PORTICO_CONFIG)', valueNotOption))
    .addOption(optionOf(outputGroup, '--json', 'print exactly one JSON document'))
    .addOption(optionOf(outputGroup, '--no-color', 'print without colours, as with NO_COLOR'))
    .addOption(
      optionOf(commonGroup, '--verbose', 'print each request to a service, and a stack trace on internal errors'),
    )
    .addOption(optionOf(commonGroup, '--help-all', 'display help with all options'));

/** An option of a group that many commands share. An option with a value requires one that is not empty. */
export const optionOf = (group: string, flags: string, help: string, parse = requiredValue): Option => {
  const option = new Option(flags, help).helpGroup(group);
  return option.required || option.optional ? option.argParser(parse) : option;
};

export const withSettings = (command: Command): Command => {
  common(command);
  for (const { flag, env, help } of variables)
    if (flag !== undefined)
      command.addOption(optionOf(settingsGroup, `${flag} <value>`, `${help} (${env})`, valueNotOption));
  return command;
};

/** The option for a module with adapters of the user. */
export const withModule = (): Option =>
  new Option('--with <file>', 'JavaScript module whose default export adds modules, services and middleware').argParser(
    requiredValue,
  );

export const withCredentials = (command: Command): Command =>
  withClient(
    command.addOption(
      optionOf(signInGroup, '--grant <type>', 'OAuth grant type')
        .choices(['password', 'client_credentials'])
        .default('password'),
    ),
  );

/** Adds the OAuth client. */
export const withClient = (command: Command): Command =>
  command
    .addOption(
      optionOf(
        signInGroup,
        '--client-id <id>',
        `OAuth client id (PORTICO_CLIENT_ID; default ${loginDefaults.clientId}); its secret is read from PORTICO_CLIENT_SECRET`,
      ),
    )
    .addOption(optionOf(signInGroup, '--scope <scope>', 'OAuth scopes to request'));

/** Adds the formats of a result. */
export const withFormats = (command: Command): Command =>
  command
    .addOption(
      optionOf(outputGroup, '-o, --output <format>', 'format of the result; --json is --output json').choices(
        outputFormats,
      ),
    )
    .addOption(
      optionOf(outputGroup, '--jq <expression>', 'apply a jq expression to the result; requires jq').conflicts([
        'output',
        'json',
      ]),
    );

export const withMember = (command: Command): Command => withFormats(withSession(command));

/** Adds the options of a command that reads as a member. */
export const withReading = (command: Command): Command =>
  withMember(command).addOption(
    optionOf(
      outputGroup,
      '--watch [seconds]',
      `repeat until Ctrl-C, every ${watchDefaults.seconds} seconds by default`,
      secondsValue,
    ),
  );

/** Adds the options of a command that writes as a member. */
export const withWriting = (command: Command): Command =>
  withMember(command).option('--dry-run', 'print the request instead of sending it; needs no token');

/** Adds the options of a command that acts as a member and has its own output. */
export const withSession = (command: Command): Command => withCredentials(withToken(command));

export const withToken = (command: Command): Command =>
  withSettings(command)
    .addOption(optionOf(signInGroup, '--token-file <file>', 'file with the access token; overrides PORTICO_TOKEN'))
    .addOption(optionOf(signInGroup, '--token-stdin', 'read the access token from stdin'));

export const withListing = (command: Command): Command => {
  for (const [name, help] of Object.entries(listOptions))
    command.addOption(optionOf('List:', `${flagOf(name)} <value>`, help, valueNotOption));
  return command;
};

/** The flag of an option by commander's camel-cased name: `--page-size` for `pageSize`. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Rejects an option in place of a value, which commander would accept. An empty value is allowed: the setting is not set. */
const valueNotOption = (value: string): string => {
  if (value.startsWith('--')) throw new InvalidArgumentError('A value is required.');
  return value;
};

const secondsValue = (value: string): string => {
  if (!(Number(value) >= 0.1 && Number(value) <= 86_400))
    throw new InvalidArgumentError('The value must be a number of seconds from 0.1 to 86400.');
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

/** Parses a timeout in milliseconds, with the limits of the settings. */
export const milliseconds = (value: string): string => {
  if (!/^[1-9]\d*$/.test(value) || Number(value) > maxMilliseconds)
    throw new InvalidArgumentError(`It must be an integer from 1 to ${maxMilliseconds}.`);
  return value;
};

const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
