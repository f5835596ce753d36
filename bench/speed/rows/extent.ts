import type { PutLoad } from '../load/start-generator.ts';

/** Settings of a measurement. */
export interface Extent {
  readonly load: PutLoad;
  /** Measure only rows whose title contains this. */
  readonly filter: string;
  readonly rounds: number;
  /** Seconds of load on each program in each round. */
  readonly seconds: number;
  /** Folder for temporary files. */
  readonly folder: string;
}
