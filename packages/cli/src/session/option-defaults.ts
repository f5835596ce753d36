/** Defaults of options that the help shows. Loads nothing, because the help does not load the commands. */
export const doctorDefaults = { timeoutMs: 5000 } as const;
export const contractDefaults = { timeoutMs: 5000 } as const;
