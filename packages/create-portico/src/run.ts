import { help, parseArguments } from './arguments.ts';
import { create, folderProblem, nextSteps } from './create.ts';
import { defaults } from './kinds.ts';
import { type Ask, askFor } from './questions.ts';

export interface Terminal {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Absent without a terminal: then there are no questions. */
  readonly ask?: Ask;
}

/** The command. Returns the exit code: 0, 1 when the questions were not answered, 2 when nothing can be created. */
export const run = async (args: readonly string[], version: string, terminal: Terminal): Promise<number> => {
  const refuse = (message: string): number => {
    terminal.printError(`${message}\n`);
    return 2;
  };
  const request = parseArguments(args);
  if ('problem' in request) return refuse(`${request.problem} See: npm create portico -- --help`);
  if ('print' in request) {
    terminal.print(request.print === 'help' ? help : `${version}\n`);
    return 0;
  }
  // Before the questions, when the folder is known.
  const { folder } = request.given;
  const early = folder === undefined ? undefined : folderProblem(folder);
  if (early !== undefined) return refuse(early);
  const ask = request.isAnswered ? undefined : terminal.ask;
  const project = ask ? await askFor(request.given, ask) : { ...defaults, ...request.given };
  if (project === undefined) return 1;
  const problem = folderProblem(project.folder);
  if (problem !== undefined) return refuse(problem);
  try {
    create(project, version);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return refuse(`${project.folder} cannot be written (${code}).`);
  }
  terminal.print(nextSteps(project));
  return 0;
};
