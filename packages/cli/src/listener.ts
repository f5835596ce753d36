import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SettingProblem } from './settings/load.ts';
import type { Settings } from './settings/schema.ts';

/** Listens there, and gives the address; or the setting that is to blame. */
export const listen = (
  server: Server,
  { host, port }: Settings['listen'],
  sourceOf: (setting: string) => string,
): Promise<{ readonly url: string } | { readonly problem: SettingProblem }> =>
  new Promise((resolve) => {
    const blame = (setting: string, message: string) =>
      resolve({ problem: { setting, source: sourceOf(setting), message } });
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const change = 'choose another one with --port, PORT or listen.port';
      if (code === 'EADDRINUSE') blame('listen.port', `port ${port} on ${host} is already in use; ${change}`);
      else if (code === 'EACCES') blame('listen.port', `port ${port} may not be used by this user; ${change}`);
      else blame('listen.host', `${host} cannot be listened on (${code ?? 'unknown error'}); check --host or HOST`);
    });
    server.listen(port, host, () => resolve({ url: addressOf(server) }));
  });

const addressOf = (server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};
