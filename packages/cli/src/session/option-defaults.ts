/** Defaults of options that the help shows. Loads nothing, because the help does not load the commands. */
export const doctorDefaults = { timeoutMs: 5000 } as const;
export const contractDefaults = { timeoutMs: 5000 } as const;
export const watchDefaults = { seconds: 2 } as const;
export const loginDefaults = { clientId: 'portico-cli' } as const;
export const initDefaults = { file: 'portico.json' } as const;
