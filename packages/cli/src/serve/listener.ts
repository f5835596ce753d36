import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SettingProblem } from '../settings/load.ts';
import type { Settings } from '../settings/schema.ts';

/** Listens there, and gives the address; or the setting that is to blame. */
export const listen = (
  server: Server,
  { host, port }: Pick<Settings['listen'], 'host' | 'port'>,
  sourceOf: (setting: string) => string,
  section: 'listen' | 'metrics' = 'listen',
): Promise<{ readonly url: string } | { readonly problem: SettingProblem }> =>
  new Promise((resolve) => {
    const blame = (setting: string, message: string) =>
      resolve({ problem: { setting, source: sourceOf(setting), message } });
    const { hostNames, portNames } = namesOf[section];
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const change = `choose another one with ${portNames} or ${section}.port`;
      if (code === 'EADDRINUSE') blame(`${section}.port`, `port ${port} on ${host} is already in use; ${change}`);
      else if (code === 'EACCES') blame(`${section}.port`, `port ${port} may not be used by this user; ${change}`);
      else blame(`${section}.host`, `${host} cannot be listened on (${code ?? 'unknown error'}); check ${hostNames}`);
    });
    server.listen(port, host, () => resolve({ url: addressOf(server) }));
  });

const namesOf = {
  listen: { hostNames: '--host or HOST', portNames: '--port, PORT' },
  metrics: { hostNames: '--metrics-host or METRICS_HOST', portNames: '--metrics-port, METRICS_PORT' },
} as const;

const addressOf = (server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};
