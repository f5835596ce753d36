import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram, exitCodes } from '@portico/cli/internals';
import { project } from '../project.ts';
import { code, generated, table } from './tables.ts';

/** Every command as commander knows it: what it does, its arguments, its options, its examples. */
export const commandsPage = (): string =>
  generated(
    'Commands',
    [
      'stdout carries only the answer: a table for people, exactly one JSON document with `--json`. Everything else is on',
      'stderr. `portico <command> --help` says what stands here.',
    ].join('\n'),
    '## Exit codes',
    table(
      ['exit code', 'means'],
      [...Object.entries(exitCodes), ['129, 130, 143', 'ended by SIGHUP, by Ctrl-C, by SIGTERM']],
    ),
    '## Environment',
    [
      'Every setting that has a variable takes it from the environment, see [Settings](settings.md). Beside those, for the',
      'commands that speak as somebody:',
    ].join('\n'),
    table(
      ['variable', 'is'],
      Object.entries(environment()).map(([name, means]) => [code(name), means]),
    ),
    '## Options of every command',
    table(['option', 'is'], rowsOf(common())),
    [
      'Commands that use the settings take each setting that has a variable as a flag, too: `PORT` is `--port`. They are',
      'not repeated below.',
    ].join('\n'),
    ...sharedSections(),
    ...leaves().flatMap(section),
  );

/** The lines of all examples. */
export const helpExamples = (): readonly string[] => all(program()).flatMap(examplesOf);

const program = (): Command => buildProgram('0.0.0', () => async () => {});

/** As the program shows it. */
const help = program().createHelp();

type Command = ReturnType<typeof buildProgram>;
type Option = Command['options'][number];

const visible = (command: Command): readonly Command[] =>
  help.visibleCommands(command).filter((each) => each.name() !== 'help');

const all = (command: Command): readonly Command[] => [command, ...visible(command).flatMap(all)];

const leaves = (): readonly Command[] => all(program()).filter((command) => visible(command).length === 0);

const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

/** Options that many commands share are told of once. */
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
    table(['option', 'is'], rowsOf(groupOf(heading))),
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
    ...(rows.length > 0 ? [table(['argument or option', 'is'], rows)] : []),
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
      (option.mandatory ? ' (needed)' : ''),
  ]);

const choices = (values: readonly string[] | undefined): string => (values ? `: ${values.map(code).join(', ')}` : '');

const isCommon = (name: string | undefined): boolean => common().some(({ long }) => long === name);

/** Those that every command with settings has; of the most plain one, so that nothing of its own is among them. */
const common = (): readonly Option[] => {
  const plain = leaves().find((command) => nameOf(command) === 'portico config schema');
  return plain ? help.visibleOptions(plain) : [];
};

/** Examples stand in what is written behind the help, which commander keeps to itself until it is shown. */
const examplesOf = (command: Command): readonly string[] => {
  let shown = '';
  command.configureOutput({ writeOut: (text) => (shown += text) });
  command.outputHelp();
  return [...shown.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = '']) => line);
};

/** What the source reads of the environment beside the settings; a name that is not here is not documented yet. */
const environment = (): Readonly<Record<string, string>> => {
  const means: Readonly<Record<string, string>> = {
    PORTICO_CLIENT_ID: 'our id at the identity provider; `portico-cli` unless set',
    PORTICO_CLIENT_SECRET: 'the secret that belongs to it, if it has one',
    PORTICO_CONFIG: 'the settings file',
    PORTICO_PASSWORD: 'the password that belongs to `PORTICO_USERNAME`',
    PORTICO_TOKEN: 'the access token',
    PORTICO_USERNAME: 'who to ask the identity provider for a token for, where there is none',
  };
  const read = new Set(
    globSync('packages/cli/src/**/*.ts', { cwd: project, exclude: ['**/*.test.*'] }).flatMap((file) =>
      Array.from(
        readFileSync(join(project, file), 'utf8').matchAll(/env\['(PORTICO_\w+)'\]/g),
        ([, name = '']) => name,
      ),
    ),
  );
  const unknown = [...read].filter((name) => !Object.hasOwn(means, name));
  if (unknown.length > 0) throw new Error(`tools/docs/reference/commands.ts says nothing of ${unknown.join(', ')}.`);
  return Object.fromEntries(Object.entries(means).filter(([name]) => read.has(name)));
};
