import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram, exitCodes } from '@portico/cli/internals';
import { project } from '../project.ts';
import { code, generated, table } from './tables.ts';

/** Returns the page of all commands with their descriptions, arguments, options and examples, from commander. */
export const commandsPage = (): string =>
  generated(
    'Command reference',
    [
      'This page lists every command of `portico` with its options. stdout has only the result: a table, or exactly one JSON',
      'document with `--json`. Everything else goes to stderr. `portico <command> --help` shows the same text.',
    ].join('\n'),
    '## Exit codes',
    table(
      ['Exit code', 'Meaning'],
      [...Object.entries(exitCodes), ['129, 130, 143', 'ended by SIGHUP, Ctrl-C or SIGTERM']],
    ),
    '## Environment variables',
    [
      '[Settings](settings.md) lists the environment variable of each setting. These variables are read in addition, mostly by',
      'commands that act as a member:',
    ].join('\n'),
    table(
      ['Variable', 'Meaning'],
      Object.entries(environment()).map(([name, means]) => [code(name), means]),
    ),
    '## Global options',
    table(['Option', 'Description'], rowsOf(common())),
    [
      'Commands that use the settings also take each setting with an environment variable as a flag: `PORT` is `--port`. These',
      'flags are not repeated below.',
    ].join('\n'),
    ...sharedSections(),
    ...leaves().flatMap(section),
  );

/** Returns the example lines of all commands. */
export const helpExamples = (): readonly string[] => all(program()).flatMap(examplesOf);

const program = (): Command => buildProgram('0.0.0', () => async () => {}, true);

/** commander's help, to show the same commands and options. */
const help = program().createHelp();

type Command = ReturnType<typeof buildProgram>;
type Option = Command['options'][number];

const visible = (command: Command): readonly Command[] =>
  help.visibleCommands(command).filter((each) => each.name() !== 'help');

const all = (command: Command): readonly Command[] => [command, ...visible(command).flatMap(all)];

const leaves = (): readonly Command[] => all(program()).filter((command) => visible(command).length === 0);

const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

/** Option groups shared by many commands, documented once. */
const groups = { 'Sign-in:': 'Sign-in options', 'List:': 'List options' } as const;

const groupOf = (heading: string): readonly Option[] => {
  const sets = leaves().map((command) => optionsUnder(command, heading));
  return sets.reduce((most, set) => (set.length > most.length ? set : most), []);
};

const optionsUnder = (command: Command, heading: string): readonly Option[] =>
  command.options.filter(({ helpGroupHeading }) => helpGroupHeading === heading);

const sharedSections = (): readonly string[] =>
  Object.entries(groups).flatMap(([heading, title]) => [
    `## ${title}`,
    table(['Option', 'Description'], rowsOf(groupOf(heading))),
  ]);

const section = (command: Command): readonly string[] => {
  const shared = Object.entries(groups).filter(
    ([heading]) => optionsUnder(command, heading).length === groupOf(heading).length,
  );
  const elsewhere = new Set<string | undefined>(['Settings:', ...shared.map(([heading]) => heading)]);
  const options = help
    .visibleOptions(command)
    .filter(({ long, helpGroupHeading }) => !elsewhere.has(helpGroupHeading) && !isCommon(long));
  const given = command.registeredArguments.map((argument) => [
    code(help.argumentTerm(argument)),
    argument.description + choices(argument.argChoices),
  ]);
  const rows = [...given, ...rowsOf(options)];
  const links = shared.map(([, title]) => `[${title.toLowerCase()}](#${title.toLowerCase().replace(' ', '-')})`);
  return [
    `## \`${nameOf(command)}\``,
    sentence(command.description()),
    ...(rows.length > 0 ? [table(['Argument or option', 'Description'], rows)] : []),
    ...(links.length > 0 ? [`Takes the ${links.join(' and the ')}.`] : []),
    ...(examplesOf(command).length > 0 ? [`\`\`\`sh help\n${examplesOf(command).join('\n')}\n\`\`\``] : []),
  ];
};

const sentence = (text: string): string => text[0]?.toUpperCase() + text.slice(1).replace(/\.?$/, '.');

const rowsOf = (options: readonly Option[]): readonly (readonly string[])[] =>
  options.map((option) => [
    code(option.flags),
    option.description +
      choices(option.argChoices) +
      (option.defaultValue === undefined ? '' : ` (default \`${String(option.defaultValue)}\`)`) +
      (option.mandatory ? ' (required)' : ''),
  ]);

const choices = (values: readonly string[] | undefined): string => (values ? `: ${values.map(code).join(', ')}` : '');

const isCommon = (name: string | undefined): boolean => common().some(({ long }) => long === name);

/** Options of every command with settings: those of `config schema`, which has no others. */
const common = (): readonly Option[] => {
  const plain = leaves().find((command) => nameOf(command) === 'portico config schema');
  return plain ? help.visibleOptions(plain) : [];
};

/** Examples are in the text after the help, which commander exposes only by printing it. */
const examplesOf = (command: Command): readonly string[] => {
  let shown = '';
  command.configureOutput({ writeOut: (text) => (shown += text) });
  command.outputHelp();
  return [...shown.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = '']) => line);
};

/** Returns the environment variables that the source reads besides the settings. Throws if one has no description. */
const environment = (): Readonly<Record<string, string>> => {
  const means: Readonly<Record<string, string>> = {
    PORTICO_CLIENT_ID: 'client id at the identity provider (default `portico-cli`)',
    PORTICO_CLIENT_SECRET: 'client secret, if the client has one',
    PORTICO_CONFIG: 'path of the settings file',
    PORTICO_CONTRACT_OTHER_TOKEN: 'access token of the second test member, for `portico contract`',
    PORTICO_CONTRACT_TOKEN: 'access token of the test member, for `portico contract`',
    PORTICO_CONTRACT_UNKNOWN_TOKEN:
      'access token of a member who does not exist in the service, for `portico contract`',
    PORTICO_PASSWORD: 'password for `PORTICO_USERNAME`',
    PORTICO_TOKEN: 'access token',
    PORTICO_USERNAME: 'user name for the password grant, used if there is no token',
  };
  const read = new Set(
    globSync('packages/cli/src/**/*.ts', { cwd: project, exclude: ['**/*.test.*'] }).flatMap((file) =>
      Array.from(readFileSync(join(project, file), 'utf8').matchAll(/'(PORTICO_[A-Z_]+)'/g), ([, name = '']) => name),
    ),
  );
  const unknown = [...read].filter((name) => !Object.hasOwn(means, name));
  if (unknown.length > 0)
    throw new Error(`tools/docs/reference/commands.ts has no description of ${unknown.join(', ')}.`);
  return Object.fromEntries(Object.entries(means).filter(([name]) => read.has(name)));
};
