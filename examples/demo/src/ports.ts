import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import getPort, { portNumbers } from 'get-port';

/** A free port on 127.0.0.1, below the ephemeral range, so that it stays free while its server is down. */
export const reservePort = (): Promise<number> =>
  getPort({ reserve: true, host: '127.0.0.1', port: portNumbers(20_000 + Math.floor(Math.random() * 9000), 29_999) });

/** Starts a server on a free port of 127.0.0.1. `close` also drops its connections. */
export const listening = async (server: Server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
};
