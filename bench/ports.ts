import getPort, { portNumbers } from 'get-port';

/** A free port on 127.0.0.1, below the ephemeral range, so that it stays free while its server is down. */
export const reservePort = (): Promise<number> =>
  getPort({ reserve: true, host: '127.0.0.1', port: portNumbers(20_000 + Math.floor(Math.random() * 9000), 29_999) });
