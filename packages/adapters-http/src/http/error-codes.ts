/** The system or TLS codes of an error and its causes, outermost first. */
export const codesOf = (error: unknown): readonly string[] =>
  error instanceof Error ? [...('code' in error ? [String(error.code)] : []), ...codesOf(error.cause)] : [];

/** Whether this is the code of a connection that was reset or closed. */
export const isReset = (code: string): boolean => ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code);
