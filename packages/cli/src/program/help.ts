import { type Command, Help, type Option } from 'commander';

/** Commander's default group. */
const ownGroup = 'Options:';
export const outputGroup = 'Output:';
export const signInGroup = 'Sign-in:';
export const commonGroup = 'Common options:';
export const settingsGroup = 'Settings:';

/** The groups that many commands share, in the order of `--help-all`. The help names their options in a few lines. */
const sharedGroups = [outputGroup, signInGroup, commonGroup, settingsGroup];

/** Other groups, such as List, have the index -1. */
const rank = (name: string): number => (name === ownGroup ? -2 : sharedGroups.indexOf(name));

/** Groups options for the help: a command's own options first, the options of all commands last. */
const sortSharedLast = <T extends Command | Option>(
  unsorted: T[],
  visible: T[],
  groupOf: (item: T) => string,
): Map<string, T[]> => {
  const groups = new Help().groupItems(unsorted, visible, groupOf);
  return new Map([...groups].toSorted(([one], [other]) => rank(one) - rank(other)));
};

/** Configures the help. A command's help fits a screen of 24 lines; with `everyOption`, it describes every option. */
export const helpConfiguration = (everyOption: boolean) => ({
  groupItems: sortSharedLast,
  commandDescription: (command: Command) => asSentence(command.description()),
  formatHelp: (command: Command, help: Help): string => {
    if (everyOption || command.commands.length > 0) return new Help().formatHelp(command, help);
    // Only here: commander suggests names for misspelt options from the visible ones.
    const brief = Object.assign(Object.create(help) as Help, { visibleOptions: ownOptions });
    return `${new Help().formatHelp(command, brief)}${otherOptions(command)}`;
  },
});

const isShared = ({ helpGroupHeading = '' }: Option): boolean => sharedGroups.includes(helpGroupHeading);

const isSetting = ({ helpGroupHeading }: Option): boolean => helpGroupHeading === settingsGroup;

const ownOptions = (command: Command): Option[] =>
  command.options.filter((option) => !option.hidden && !isShared(option));

/** Names the options that the help of a command does not describe. */
const otherOptions = ({ options }: Command): string => {
  const named = options
    .filter((option) => isShared(option) && !isSetting(option) && option.long !== '--help-all')
    .toSorted((one, other) => rank(one.helpGroupHeading ?? '') - rank(other.helpGroupHeading ?? ''))
    .map(({ long }) => long);
  if (named.length === 0) return '';
  const settings = options.some(isSetting) ? ', and flags for settings' : '';
  return `\n${new Help().boxWrap(`More options (--help-all): ${named.join(', ')}${settings}.`, 80)}\n`;
};

/** Capitalizes the description of a command, which is lower-case in lists of commands, and adds a full stop. */
const asSentence = (description: string): string =>
  `${description.charAt(0).toUpperCase()}${description.slice(1).replace(/\.$/, '')}.`;

/** Formats examples for the help. They work as printed when PORTICO_CONFIG and PORTICO_TOKEN are set. */
export const examples = (...lines: readonly string[]): string =>
  `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
