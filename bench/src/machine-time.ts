/** Milliseconds that mean the same in every process of this machine. */
export const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6;
