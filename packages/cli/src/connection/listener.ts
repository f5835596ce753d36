import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { SettingProblem } from '../settings/load.ts';
import type { Settings } from '../settings/schema.ts';

/**
 * Starts listening and returns the URL, or the problem with the setting that prevents it. `sharesPort` is only for a server:
 * a command that listens for callbacks would get requests that are for the server.
 */
export const listen = (
  server: Server,
  { host, port, sharesPort = false }: Pick<Settings['listen'], 'host' | 'port'> & { readonly sharesPort?: boolean },
  sourceOf: (setting: string) => string,
  section: 'listen' | 'metrics' = 'listen',
): Promise<{ readonly url: string } | { readonly problem: SettingProblem }> =>
  new Promise((resolve) => {
    const fail = (setting: string, message: string) =>
      resolve({ problem: { setting, source: sourceOf(setting), message } });
    const { hostNames, portNames } = optionNames[section];
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const change = `choose another one with ${portNames} or ${section}.port`;
      if (code === 'EADDRINUSE') fail(`${section}.port`, `port ${port} on ${host} is already in use; ${change}`);
      else if (sharesPort && code === 'ENOTSUP')
        fail('listen.reusePort', 'this system cannot share a port between processes; set it to false');
      else if (code === 'EACCES') fail(`${section}.port`, `no permission to listen on port ${port}; ${change}`);
      else fail(`${section}.host`, `cannot bind to ${host} (${code ?? 'unknown error'}); check ${hostNames}`);
    });
    server.listen({ port, host, reusePort: sharesPort }, () => resolve({ url: urlOf(server) }));
  });

const optionNames = {
  listen: { hostNames: '--host or HOST', portNames: '--port, PORT' },
  metrics: { hostNames: '--metrics-host or METRICS_HOST', portNames: '--metrics-port, METRICS_PORT' },
} as const;

const urlOf = (server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo;
  const scheme = server instanceof TlsServer ? 'https' : 'http';
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};
