import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants } from 'node:os';
import { serverToken } from '@portico/adapters-koa/inversify';
import { drain } from '@portico/adapters-koa';
import type { Identity } from '@portico/core';
import { portTokens } from '@portico/core/inversify';
import { compose } from '../compose.ts';
import { jsonLines, type Log } from '../log.ts';
import { refuse } from '../refusal.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { Settings } from '../settings/schema.ts';
import { halvesOf } from '../settings/show.ts';

/** Serves until SIGTERM or SIGINT, then finishes what is in flight. Gives the exit code. */
export const serve = async (
  { settings, sourceOf }: LoadedSettings,
  { json, version }: { readonly json: boolean; readonly version: string },
): Promise<number> => {
  const log = jsonLines(settings.log.level);
  const problem = (setting: string, message: string) => ({ setting, source: sourceOf(setting), message });
  if (settings.redis.url !== null)
    return refuse('this version serves one instance only', [problem('redis.url', 'leave it out')], json);
  const container = compose(settings, {
    version,
    onError: (error, requestId) => log('error', 'unexpected error', { requestId, error: withoutMessage(error) }),
  });
  const server = container.get(serverToken);
  // Heard from now on: whoever reads the address may send a signal at once.
  const signal = signalled();
  const failure = await listen(server, settings.listen);
  if (failure) return refuse('cannot listen', [problem(...failure)], json);
  const url = addressOf(server);
  const halves = halvesOf(settings);
  process.stdout.write(json ? `${JSON.stringify({ url, serves: halves })}\n` : `portico listens on ${url}\n`);
  if (halves.length === 0)
    log('warn', 'nothing to serve: set identity and downstreams, or search.legs (see portico config schema)');
  if (container.isBound(portTokens.identity)) void warm(container.get(portTokens.identity), log);
  await signal;
  const drained = drain(server);
  log('info', 'draining');
  await drained;
  log('info', 'stopped');
  return 0;
};

type ListenFailure = readonly [setting: string, message: string];

const listen = (server: Server, { host, port }: Settings['listen']): Promise<ListenFailure | undefined> =>
  new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const change = 'choose another one with --port, PORT or listen.port';
      if (code === 'EADDRINUSE') resolve(['listen.port', `port ${port} on ${host} is already in use; ${change}`]);
      else if (code === 'EACCES') resolve(['listen.port', `port ${port} may not be used by this user; ${change}`]);
      else resolve(['listen.host', `${host} cannot be listened on (${code ?? 'unknown error'}); check --host or HOST`]);
    });
    server.listen(port, host, () => resolve(undefined));
  });

const addressOf = (server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};

const warm = async (identity: Identity, log: Log): Promise<void> => {
  const result = await identity.warm();
  if (result.isErr())
    log('warn', 'the identity provider gave no keys yet; members get 502 until it does', { failure: result.error });
};

/** One Ctrl-C may be heard twice: from the terminal, and passed on by npm or another parent. */
const echoMs = 500;

/** The first signal. A later one does not wait for the end: a second Ctrl-C means now. */
const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    let firstAt: number | undefined;
    const hear = (signal: 'SIGINT' | 'SIGTERM') => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        resolve();
      } else if (performance.now() - firstAt > echoMs) process.exit(128 + constants.signals[signal]);
    };
    process.on('SIGINT', hear);
    process.on('SIGTERM', hear);
  });

/** Where it happened, but not the message, which may quote what a member sent. */
const withoutMessage = (error: unknown) =>
  error instanceof Error
    ? {
        name: error.name,
        at: error.stack
          ?.split('\n')
          .filter((line) => /^\s+at /.test(line))
          .map((line) => line.trim()),
      }
    : { name: typeof error };
