/**
 * The system or TLS codes of an error, of the errors in it (one for each address of a host), and of its causes, outermost
 * first.
 */
export const codesOf = (error: unknown): readonly string[] => {
  const codes: string[] = [];
  // A custom fetch may reject with an error that is its own cause.
  const seen = new Set<unknown>();
  const add = (one: unknown): void => {
    if (!(one instanceof Error) || seen.has(one)) return;
    seen.add(one);
    if ('code' in one) codes.push(String(one.code));
    if (one instanceof AggregateError) for (const inner of one.errors) add(inner);
    add(one.cause);
  };
  add(error);
  return codes;
};

/** Whether this is the code of a connection that was reset or closed. */
export const isReset = (code: string): boolean => ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code);

/** Whether the connection was refused or reset. */
export const isConnectionFailure = (error: unknown): boolean =>
  codesOf(error).some((code) => code === 'ECONNREFUSED' || isReset(code));

/**
 * Whether the connection could not be opened in time, directly or through a proxy. When one address of a host refuses it,
 * each other address has only the time that Node allows for it.
 */
export const isTimeout = (error: unknown): boolean =>
  codesOf(error).some((code) => timeouts.has(code)) && !isConnectionFailure(error);

const timeouts: ReadonlySet<string> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']);
