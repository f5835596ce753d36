import { Writable } from 'node:stream';
import { koaModule, serverToken } from '@portico/adapters-koa/inversify';
import { listenOnLoopback, type Test } from '../program/outside-world.test.support.ts';
import { settingsOf } from '../settings/settings-file.test.support.ts';
import { jsonLines, type Log } from '../telemetry/log.ts';
import type { compose } from './compose.ts';
import { type RunningServer, serve, type ServeOptions } from './server.ts';

/** A log that appends its lines to these. */
export const logInto = (lines: string[]): Log =>
  jsonLines(
    'info',
    new Writable({
      write: (chunk, _, done) => {
        lines.push(...String(chunk).split('\n').slice(0, -1));
        done();
      },
    }),
  );

/** Starts a server in this process that closes at the end of the test. */
export const startedServer = async (test: Test, options: ServeOptions): Promise<RunningServer> => {
  const server = (await serve(options)).match(
    (running) => running,
    ({ message }) => {
      throw new Error(message);
    },
  );
  test.onTestFinished(() => server.close());
  return server;
};

/** Starts a server in this process, with these variables and this content of the settings file. */
export const serving = async (
  test: Test,
  env: Readonly<Record<string, string>> = {},
  values: object = {},
  options: Omit<ServeOptions, 'settings'> = {},
) => {
  const lines: string[] = [];
  const loaded = settingsOf({ values: { listen: { port: 0 }, ...values }, env });
  const { url, serves, close } = await startedServer(test, { ...loaded, log: logInto(lines), ...options });
  return { url, serves, close, lines };
};

/** Listens with the routes of a container until the end of the test, and returns the URL. */
export const listening = (
  test: Test,
  container: ReturnType<typeof compose>,
  settings: Parameters<typeof koaModule>[0] = {},
): Promise<string> => {
  container.load(koaModule(settings));
  return listenOnLoopback(test, container.get(serverToken));
};
