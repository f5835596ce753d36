/** Returns the name and stack of an error without its message, which may contain a member's data. */
export const redactError = (error: unknown) =>
  error instanceof Error
    ? {
        name: error.name,
        at: error.stack
          ?.replace(error.message, '')
          .split('\n')
          .filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line))
          .map((line) => line.trim()),
      }
    : { name: typeof error };
