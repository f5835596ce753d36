/** A line of a stack: its place is a file, or one of the few without. */
const frame = /^\s+at (?:.+ \()?(?:(?:file:|node:|wasm:|\/|[A-Z]:\\).*:\d+:\w+|<anonymous>|index \d+|native)\)?$/;

/** Returns the name and stack of an error without its message, which may contain a member's data. */
export const redactError = (error: unknown) =>
  error instanceof Error
    ? {
        name: error.name,
        at: error.stack
          ?.replace(error.message, '')
          .split('\n')
          .filter((line) => frame.test(line))
          .map((line) => line.trim()),
      }
    : { name: typeof error };
