import { folderProblem } from './create.ts';
import { defaults, isKind, issuerProblem, kinds, type Project } from './kinds.ts';

/** Prompts and reads one line. Undefined when the input ends. */
export type Ask = (question: string) => Promise<string | undefined>;

/** Prompts for missing values. Undefined when the input ends before the last question. */
export const askFor = async (given: Partial<Project>, ask: Ask): Promise<Project | undefined> => {
  const folder = given.folder ?? (await accepted(ask, 'Folder', defaults.folder, folderProblem));
  if (folder === undefined) return undefined;
  const kind = given.kind ?? (await accepted(ask, kindQuestion, defaults.kind, kindProblem));
  if (kind === undefined || !isKind(kind)) return undefined;
  // A network participant verifies no access tokens.
  const isAsked = given.issuer === undefined && kind !== 'network';
  const issuer = isAsked
    ? await accepted(ask, 'Issuer of the access tokens', defaults.issuer, issuerProblem)
    : given.issuer;
  return isAsked && issuer === undefined ? undefined : { folder, kind, issuer: issuer ?? defaults.issuer };
};

const kindQuestion = `${Object.entries(kinds)
  .map(([kind, meaning]) => `  ${kind.padEnd(8)} ${meaning}\n`)
  .join('')}What do you need`;

const kindProblem = (answer: string): string | undefined =>
  isKind(answer) ? undefined : `must be one of ${Object.keys(kinds).join(', ')}`;

/** Repeats a question until its answer is accepted. An empty line is the default. */
const accepted = async (
  ask: Ask,
  question: string,
  usual: string,
  problemOf: (answer: string) => string | undefined,
): Promise<string | undefined> => {
  for (let problem: string | undefined; ;) {
    const line = await ask(`${problem === undefined ? '' : `  ${problem}\n`}${question} [${usual}]: `);
    if (line === undefined) return undefined;
    const answer = line.trim() || usual;
    problem = problemOf(answer);
    if (problem === undefined) return answer;
  }
};
