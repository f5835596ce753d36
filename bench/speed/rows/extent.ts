import type { PutLoad } from '../load/start-generator.ts';

/** What one run measures, and with what. */
export interface Extent {
  readonly load: PutLoad;
  /** Only rows whose title contains this. */
  readonly filter: string;
  readonly rounds: number;
  /** Of load on each program in each round. */
  readonly seconds: number;
  /** For temporary files. */
  readonly folder: string;
}
