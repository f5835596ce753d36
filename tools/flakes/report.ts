import type { Failure, Load } from './run-suite.ts';

export interface Flake {
  readonly file: string;
  readonly test: string;
  readonly failed: Readonly<Record<Load, number>>;
  readonly failures: readonly (Pick<Failure, 'load' | 'run' | 'message' | 'log'> & {
    /** The seed that fast-check printed, to repeat a property test with. */
    readonly seed?: number;
  })[];
}

/** Groups failures by test, the most frequent first. */
export const flakesOf = (failures: readonly Failure[]): readonly Flake[] =>
  [...Map.groupBy(failures, ({ file, test }) => `${file} ${test}`).values()]
    .map((same) => {
      const { file = '', test = '' } = same[0] ?? {};
      return {
        file,
        test,
        failed: { idle: countOf(same, 'idle'), busy: countOf(same, 'busy') },
        failures: same.map(({ load, run, message, log }) => ({ load, run, message, log, ...seedIn(message) })),
      };
    })
    .toSorted((one, other) => other.failures.length - one.failures.length);

const countOf = (failures: readonly Failure[], load: Load): number =>
  failures.filter((failure) => failure.load === load).length;

const seedIn = (message: string): { readonly seed?: number } => {
  const seed = /\bseed: (-?\d+)/.exec(message)?.[1];
  return seed === undefined ? {} : { seed: Number(seed) };
};

/** One line for each test and one for each of its failures. */
export const tableOf = (flakes: readonly Flake[], runs: Readonly<Record<Load, number>>): string => {
  if (flakes.length === 0) return `No test failed in ${runs.idle} idle and ${runs.busy} busy runs.`;
  const rows = flakes.flatMap(({ file, test, failed, failures }) => [
    `${`${failed.idle}/${runs.idle}`.padEnd(8)}${`${failed.busy}/${runs.busy}`.padEnd(8)}${file} > ${test}`,
    ...failures.map(
      ({ load, run, seed, message, log }) =>
        `${' '.repeat(16)}${load} ${run}${seed === undefined ? '' : `, seed ${seed}`}: ${message.split('\n')[0]} (${log})`,
    ),
  ]);
  return ['idle    busy    test', ...rows].join('\n');
};
