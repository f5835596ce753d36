/** Milliseconds on a clock that all processes of this machine share. */
export const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6;

/** In milliseconds of machine time. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}
