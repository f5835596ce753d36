import type { IncomingMessage } from 'node:http';

/** Counts a header field by its lower-case name. Of fields that must not repeat, `headers` has only the first. */
export const countFields = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, field: string): number => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === field.length && name.toLowerCase() === field) count++;
  }
  return count;
};

/** `uri-host [ ":" port ]` (RFC 9110, section 7.2; RFC 3986, section 3.2.2), or nothing. */
const hostSyntax = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Returns what Node's parser accepts but HTTP forbids: repeated or malformed `Host` fields (RFC 9112, section 3.2), an HTTP/2
 * authority that differs from the `Host` field (RFC 9113, section 8.3.1), and transfer codings other than `chunked` (RFC 9112,
 * section 6.1), which Node does not decode. Proxies may read each of them differently.
 */
export const headerProblem = (request: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): string | undefined => {
  const { host = '', ':authority': authority, 'transfer-encoding': coding } = request.headers;
  if (countFields(request, 'host') > 1 || !hostSyntax.test(host)) return 'The Host header field is not valid.';
  if (authority !== undefined && (!hostSyntax.test(String(authority)) || (host !== '' && host !== authority)))
    return 'The authority is not valid.';
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'The transfer coding is not supported.';
  return undefined;
};
