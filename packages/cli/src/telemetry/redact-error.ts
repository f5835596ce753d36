/** Where it happened, but not the message, which may quote what a member sent. */
export const redactError = (error: unknown) =>
  error instanceof Error
    ? {
        name: error.name,
        at: error.stack
          ?.split('\n')
          .filter((line) => /^\s+at /.test(line))
          .map((line) => line.trim()),
      }
    : { name: typeof error };
