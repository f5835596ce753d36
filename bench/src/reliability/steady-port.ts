import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the ports that systems hand out by themselves, so that nobody takes one while its server is down. */
const lowest = 20_000;
const choices = 10_000;

/** Listens on this port, or (0) on one that it can come back to. */
export const listenSteadily = async (server: Server, port = 0): Promise<number> => {
  for (let triesLeft = 50; ; triesLeft--) {
    const chosen = port === 0 ? lowest + Math.floor(Math.random() * choices) : port;
    server.listen(chosen, '127.0.0.1');
    try {
      await once(server, 'listening');
      return chosen;
    } catch (error) {
      if (triesLeft === 0) throw error;
    }
  }
};

/** For one whose address must be known before it listens. */
export const freeSteadyPort = async (): Promise<number> => {
  const server = createServer();
  const port = await listenSteadily(server);
  server.close();
  await once(server, 'close');
  return port;
};
