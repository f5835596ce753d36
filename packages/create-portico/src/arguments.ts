import { parseArgs } from 'node:util';
import { defaults, isKind, issuerProblem, kinds, type Project } from './kinds.ts';

/** What the command line requests. Missing values are prompted for; with `isAnswered`, they have their defaults. */
export type Request =
  | { readonly print: 'help' | 'version' }
  | { readonly given: Partial<Project>; readonly isAnswered: boolean }
  | { readonly problem: string };

export const help = `Usage: npm create portico [folder] -- [options]

Starts a Portico project in a new or empty folder (default: ${defaults.folder}).

Options:
  --kind <kind>   ${Object.entries(kinds)
    .map(([kind, meaning]) => `${kind}: ${meaning}`)
    .join('\n                  ')}
  --issuer <url>  the issuer of your access tokens
  --yes           no questions: defaults for missing values
  --version       print the version
  --help          print this help
`;

const options = {
  kind: { type: 'string' },
  issuer: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

export const parseArguments = (args: readonly string[]): Request => {
  const parsed = tryParse(args);
  if ('problem' in parsed) return parsed;
  const { values, positionals } = parsed;
  const { kind, issuer } = values;
  if (values.help) return { print: 'help' };
  if (values.version) return { print: 'version' };
  const [folder, ...more] = positionals;
  if (more.length > 0 || folder === '') return { problem: 'Give one folder.' };
  if (kind !== undefined && !isKind(kind))
    return { problem: `--kind must be one of ${Object.keys(kinds).join(', ')}.` };
  const wrong = issuer === undefined ? undefined : issuerProblem(issuer);
  if (wrong !== undefined) return { problem: `--issuer ${wrong}.` };
  const given = { ...(folder && { folder }), ...(kind && { kind }), ...(issuer && { issuer }) };
  return { given, isAnswered: values.yes === true };
};

const tryParse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // The first sentence; the others are about the function.
    return { problem: `${(error as Error).message.split(/\.\s/, 1)[0]}.` };
  }
};
