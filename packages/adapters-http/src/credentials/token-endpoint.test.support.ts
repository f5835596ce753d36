import type { TokenClientSettings } from './token-client.ts';
import type { ServerResponse } from 'node:http';
import { type FakeClock, fakeClock } from '@portico/core/testing';
import { httpServer, type ReceivedRequest, sendJson } from '../http/local-servers.test.support.ts';
import { tokenClient } from './token-client.ts';

export type Reply = (response: ServerResponse, form: URLSearchParams, nth: number) => unknown;

/** Issues the token `issued-<nth>`, with a lifetime of five minutes. */
export const issue: Reply = (response, _form, nth) =>
  sendJson(response, { access_token: `issued-${nth}`, token_type: 'Bearer', expires_in: 300 });

/** A reply that is a failure once after each `failNext()`. */
export const failingOnce = (reply: Reply) => {
  let isFailing = false;
  const failing: Reply = (response, ...rest) => {
    if (!isFailing) return reply(response, ...rest);
    isFailing = false;
    return sendJson(response, { error: 'temporarily_unavailable' }, 503);
  };
  return {
    reply: failing,
    failNext: () => {
      isFailing = true;
    },
  };
};

export const formOf = ({ body }: ReceivedRequest): Readonly<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(body));

/** A token client and its token endpoint, on a fake clock. */
export const tokenEndpoint = async (reply: Reply = issue, settings: Partial<TokenClientSettings> = {}) => {
  const clock: FakeClock = fakeClock();
  const server = await httpServer((response, { body }, nth) => void reply(response, new URLSearchParams(body), nth));
  const issuer = `${server.url}/realms/portal`;
  const client = { id: 'portico', secret: 'the secret' };
  return { server, clock, issuer, tokens: tokenClient({ issuer, client, clock, ...settings }) };
};
