import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serverToken } from '@portico/adapters-koa/inversify';
import { drain } from '@portico/adapters-koa';
import { portTokens } from '@portico/core/inversify';
import { compose } from '../compose.ts';
import { jsonLines, type Log } from '../log.ts';
import type { Settings } from '../settings/schema.ts';

/** Serves until SIGTERM or SIGINT, then finishes what is in flight. Gives the exit code. */
export const serve = async (settings: Settings, json: boolean): Promise<number> => {
  const log = jsonLines(settings.log.level);
  if (settings.search.legs || settings.redis.url !== null) {
    process.stderr.write('portico: this version serves the member portal only; leave out search.legs and redis.url\n');
    return 2;
  }
  const container = compose(settings, (error, requestId) =>
    log('error', 'unexpected error', { requestId, error: withoutMessage(error) }),
  );
  const server = container.get(serverToken);
  const failure = await listen(server, settings.listen);
  if (failure !== undefined) {
    process.stderr.write(`portico: ${failure}\n`);
    return 2;
  }
  const url = addressOf(server);
  const halves = container.isBound(portTokens.identity) ? ['member portal'] : [];
  process.stdout.write(json ? `${JSON.stringify({ url, serves: halves })}\n` : `portico listens on ${url}\n`);
  if (halves.length === 0) log('warn', 'nothing to serve: set identity and downstreams (see portico config schema)');
  else void warm(container.get(portTokens.identity).warm, log);
  await signalled();
  log('info', 'draining');
  await drain(server);
  log('info', 'stopped');
  return 0;
};

const listen = (server: Server, { host, port }: Settings['listen']): Promise<string | undefined> =>
  new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const change = 'choose another one with --port, PORT or listen.port';
      if (code === 'EADDRINUSE') resolve(`port ${port} on ${host} is already in use; ${change}`);
      else if (code === 'EACCES') resolve(`port ${port} may not be used by this user; ${change}`);
      else resolve(`cannot listen on ${host} (${code ?? 'unknown error'}); check --host, HOST or listen.host`);
    });
    server.listen(port, host, () => resolve(undefined));
  });

const addressOf = (server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};

const warm = async (fetchKeys: () => ReturnType<UnwarmedIdentity>, log: Log): Promise<void> => {
  const result = await fetchKeys();
  if (result.isErr())
    log('warn', 'the identity provider gave no keys yet; members get 502 until it does', { failure: result.error });
};

type UnwarmedIdentity = import('@portico/core').Identity['warm'];

const signalled = (): Promise<unknown> =>
  new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
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
