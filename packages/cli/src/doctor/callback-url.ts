import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { ConnectionSettings } from '@portico/adapters-http';
import { networkProfiles, profileOf } from '@portico/core';
import { serverTls } from '../settings/tls-files.ts';
import { listen } from '../connection/listener.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { type CheckResult, type Examination, failed, type Finding, notTested, ok } from './check.ts';
import { request } from './request.ts';

type CallbackLeg = Pick<NonNullable<Examination['settings']['search']['legs']>[string], 'bapUri' | 'profile'>;

/**
 * Whether each leg's bapUri leads back to this machine: a listener on `listen` replies with a random value for a moment,
 * and a request through bapUri must receive that value.
 */
export const examineCallbackUrls = async (
  { settings, connections, check }: Examination,
  sourceOf: LoadedSettings['sourceOf'],
): Promise<readonly CheckResult[]> => {
  const legs = Object.entries(settings.search.legs ?? {});
  const everyLeg = (find: (id: string, leg: CallbackLeg, signal: AbortSignal) => Promise<Finding>) =>
    Promise.all(legs.map(([id, leg]) => check(`callback URL of leg ${id}`, (signal) => find(id, leg, signal))));
  if (legs.length === 0) return [];
  const reason = whyNotTested(settings);
  if (reason !== undefined) return everyLeg(async () => notTested(reason));

  const probe = randomUUID();
  const respond: RequestListener = ({ method, url }, response) => {
    // A callback that arrives at this moment is not lost: sellers send it again after a 503.
    const status = method !== 'GET' ? 503 : isCallbackPath(url) ? 200 : 404;
    response.writeHead(status, { connection: 'close', 'cache-control': 'no-store' }).end(probe);
  };
  const { tls } = serverTls(settings.listen);
  const server = tls ? createSecureServer(tls(), respond) : createServer(respond);
  const listening = await listen(server, settings.listen, sourceOf);
  if ('problem' in listening) {
    const advice = 'To test it, stop the portico that listens there and run doctor again.';
    return everyLeg(async () => notTested(listening.problem.message, advice));
  }
  try {
    return await everyLeg((id, leg, signal) =>
      callBack(leg, `search.legs.${id}.bapUri`, probe, signal, connections.common),
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const whyNotTested = ({ roles, redis, listen: { port } }: Examination['settings']): string | undefined => {
  if (!roles.includes('callbacks')) return 'this instance does not take callbacks (roles)';
  if (redis.url !== undefined) return 'with redis.url, callbacks may arrive at another instance';
  return port === 0 ? 'listen.port is 0, so the port is different at each start' : undefined;
};

/** Uses the path that sellers use: a proxy may forward only that path. */
const callBack = async (
  { bapUri, profile }: CallbackLeg,
  setting: string,
  probe: string,
  signal: AbortSignal,
  connection: ConnectionSettings,
): Promise<Finding> => {
  const url = new URL(bapUri);
  const { callbackAction } = profileOf({ profile });
  url.pathname = `${url.pathname.replace(/\/(?:on_(?:search|discover)\/?)?$/, '')}/${callbackAction}`;
  [url.username, url.password, url.hash] = ['', '', ''];
  const result = await request('GET', url.href, setting, signal, connection);
  if (result.isErr()) return { ...result.error, advice: `${result.error.advice} ${hairpin}` };
  if (result.value.text === probe)
    return result.value.status === 200
      ? ok('leads to this machine')
      : failed(
          `leads to this machine, but not to /${callbackAction}`,
          `Remove the path from ${setting}, or from the request in the proxy before this machine.`,
        );
  return failed(
    `HTTP ${result.value.status} from another server`,
    `Check ${setting} and listen.port, and what a proxy there does with /${callbackAction}.`,
  );
};

/** The paths that `portico serve` takes callbacks at. */
const callbackPaths = new Set(Object.values(networkProfiles).map(({ callbackAction }) => `/${callbackAction}`));

const isCallbackPath = (url = ''): boolean => callbackPaths.has(url.replace(/\/?(?:\?.*)?$/, ''));

const hairpin = 'Some networks have no hairpin routing to their own public address; in that case, test from outside.';
