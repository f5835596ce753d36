/** A benchmark or a test run. `folder` is temporary. Resolves with whether every requirement was met. */
export type Command = (args: readonly string[], folder: string) => Promise<boolean>;

/** Writes a progress message to stderr. */
export const log = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Reads the value of an option. Throws unless it is a positive number. */
export const positiveNumber = (value: string): number => {
  const number = Number(value);
  if (!(number > 0 && number < Infinity)) throw new Error(`"${value}" is not a positive number.`);
  return number;
};
