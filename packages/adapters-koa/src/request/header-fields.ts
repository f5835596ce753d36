import type { IncomingMessage } from 'node:http';
import { http2Stream } from './http2-stream.ts';

/** Counts a header field by its lower-case name. Of fields that must not repeat, `headers` has only the first. */
export const countFields = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, field: string): number => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === field.length && name.toLowerCase() === field) count++;
  }
  return count;
};

/**
 * A request target in absolute form (RFC 9112, section 3.2.2). Programs find different paths in one that has another scheme, no
 * valid host, or a backslash.
 */
export const absoluteForm = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?(?:[/?#][^\\]*)?$/i;

/** `uri-host [ ":" port ]` (RFC 9110, section 7.2; RFC 3986, section 3.2.2), or nothing. */
const hostSyntax = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Returns what Node's parser accepts but HTTP forbids, and what proxies may read differently:
 *
 * - versions other than 1.0 and 1.1 in a request of HTTP/1 (RFC 9112, section 2.3)
 * - repeated or malformed `Host` fields (section 3.2)
 * - an HTTP/2 authority that differs from the `Host` field (RFC 9113, section 8.3.1)
 * - transfer codings with HTTP/1.0, or other than `chunked`, which Node does not decode (RFC 9112, section 6.1)
 */
export const headerProblem = (
  request: Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'httpVersion'>,
): string | undefined => {
  const { httpVersion } = request;
  if (!http2Stream(request) && httpVersion !== '1.1' && httpVersion !== '1.0')
    return 'The HTTP version is not supported.';
  const { host = '', ':authority': authority, 'transfer-encoding': coding } = request.headers;
  if (countFields(request, 'host') > 1 || !hostSyntax.test(host)) return 'The Host header field is not valid.';
  if (authority !== undefined && (!hostSyntax.test(String(authority)) || (host !== '' && host !== authority)))
    return 'The authority is not valid.';
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked'))
    return 'The transfer coding is not supported.';
  return undefined;
};
