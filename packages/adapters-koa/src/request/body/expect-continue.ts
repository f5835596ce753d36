import type { ServerResponse } from 'node:http';

const waiting = new WeakSet<ServerResponse>();

/**
 * Postpones `100 Continue` until the body is read, so that the client of a refused request need not send it (RFC 9110,
 * section 10.1.1). Node closes the connection after a response without it.
 */
export const postponeContinue = (response: ServerResponse): void => {
  waiting.add(response);
};

/** Sends `100 Continue` if the client waits for it. */
export const sendContinue = (response: ServerResponse): void => {
  if (waiting.delete(response)) response.writeContinue();
};
