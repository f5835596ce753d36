import type { ServerHttp2Stream } from 'node:http2';

/**
 * The HTTP/2 stream of a request or response; undefined with HTTP/1. The version of a request does not show which one it is:
 * a client of HTTP/1 may write any version.
 */
export const http2Stream = (message: object): ServerHttp2Stream | undefined =>
  (message as { readonly stream?: ServerHttp2Stream }).stream;
