/** The system or TLS codes of an error and its causes, outermost first. */
export const codesOf = (error: unknown): readonly string[] => {
  const codes: string[] = [];
  // A custom fetch may reject with an error that is its own cause.
  const seen = new Set<unknown>();
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    if ('code' in at) codes.push(String(at.code));
  }
  return codes;
};

/** Whether this is the code of a connection that was reset or closed. */
export const isReset = (code: string): boolean => ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code);

/** Whether the connection could not be opened in time, directly or through a proxy. */
export const isTimeout = (error: unknown): boolean =>
  codesOf(error).some((code) => ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'].includes(code));
