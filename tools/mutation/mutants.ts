interface Position {
  readonly line: number;
  readonly column: number;
}

/** A mutant of the mutation testing report schema, version 2. */
export interface Mutant {
  readonly mutatorName: string;
  readonly replacement: string;
  readonly status: 'Killed' | 'Survived' | 'NoCoverage' | 'Timeout' | 'RuntimeError' | 'CompileError' | 'Ignored';
  readonly location: { readonly start: Position; readonly end: Position };
}

export interface MutantsOfFile {
  readonly file: string;
  readonly source: string;
  readonly mutants: readonly Mutant[];
}

interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

export const mutantsOf = (report: string): readonly MutantsOfFile[] =>
  Object.entries((JSON.parse(report) as Report).files)
    .map(([file, { source, mutants }]) => ({ file, source, mutants }))
    .filter(({ mutants }) => mutants.length > 0);

const isUndetected = ({ status }: Mutant) => status === 'Survived' || status === 'NoCoverage';

export const undetected = (files: readonly MutantsOfFile[]) =>
  files.flatMap(({ file, mutants }) => mutants.filter(isUndetected).map((mutant) => ({ file, mutant })));

const identityOf = (file: string, { mutatorName, replacement, location: { start, end } }: Mutant) =>
  [file, start.line, start.column, end.line, end.column, mutatorName, replacement].join('\0');

/** The first run, with the statuses of the second for the mutants that survived the first. */
export const withSecondRun = (
  first: readonly MutantsOfFile[],
  second: readonly MutantsOfFile[],
): readonly MutantsOfFile[] => {
  const statuses = new Map(
    second.flatMap(({ file, mutants }) =>
      mutants
        .filter(({ status }) => status !== 'NoCoverage')
        .map((mutant) => [identityOf(file, mutant), mutant.status] as const),
    ),
  );
  return first.map(({ file, source, mutants }) => ({
    file,
    source,
    mutants: mutants.map((mutant) =>
      isUndetected(mutant) ? { ...mutant, status: statuses.get(identityOf(file, mutant)) ?? mutant.status } : mutant,
    ),
  }));
};
