import { once } from 'node:events';
import { createServer } from 'node:net';
import { sandboxPorts } from '@portico/sandbox';

/** What `npm start` listens on: Portico, and the sandbox from its first port on. */
export interface DemoPorts {
  readonly port: number;
  readonly firstPort: number;
}

export const defaultPorts: DemoPorts = { port: 8080, firstPort: 8090 };

export const demoPorts = ({ PORT, SANDBOX_PORT }: NodeJS.ProcessEnv): DemoPorts => ({
  port: Number(PORT ?? defaultPorts.port),
  firstPort: Number(SANDBOX_PORT ?? defaultPorts.firstPort),
});

/** Returns why the demo cannot listen on these ports, with a command that works, or `undefined`. */
export const portProblem = async (ports: DemoPorts): Promise<string | undefined> => {
  if (!isValid(ports)) return 'PORT and SANDBOX_PORT must be port numbers from 1 to 65499.';
  const { port, firstPort } = ports;
  if (overlaps(ports))
    return `PORT=${port} is one of the sandbox's ports, ${firstPort} to ${firstPort + sandboxPorts - 1}. Use other ports:
${await workingCommand(defaultPorts)}`;
  const failures = await listenFailures(ports);
  if (failures.length === 0) return undefined;
  const listed = failures.slice(0, 3).map((failure) => failure.port);
  const more = failures.length > 3 ? ` and ${failures.length - 3} more` : '';
  const areInUse = failures.every(({ code }) => code === 'EADDRINUSE');
  const reason = areInUse ? 'already in use' : [...new Set(failures.map(({ code }) => code))].join(', ');
  return `Cannot listen on port ${listed.join(', ')}${more}: ${reason}. Use other ports:
${await workingCommand(ports)}`;
};

const isValid = ({ port, firstPort }: DemoPorts): boolean =>
  [port, firstPort].every((value) => Number.isInteger(value) && value > 0 && value < 65_500);

const overlaps = ({ port, firstPort }: DemoPorts): boolean => port >= firstPort && port < firstPort + sandboxPorts;

/** The command with the nearest free ports, in steps of a thousand. */
const workingCommand = async ({ port, firstPort }: DemoPorts): Promise<string> => {
  for (let step = 1000; step < 65_000; step += 1000) {
    const ports = { port: port + step, firstPort: firstPort + step };
    if (isValid(ports) && !overlaps(ports) && (await listenFailures(ports)).length === 0)
      return `PORT=${ports.port} SANDBOX_PORT=${ports.firstPort} npm start`;
  }
  return 'PORT=… SANDBOX_PORT=… npm start';
};

interface ListenFailure {
  readonly port: number;
  readonly code: string;
}

const listenFailures = async ({ port, firstPort }: DemoPorts): Promise<readonly ListenFailure[]> => {
  const all = [port, ...Array.from({ length: sandboxPorts }, (_, index) => firstPort + index)];
  return (await Promise.all(all.map(listenFailure))).flatMap((failure) => failure ?? []);
};

const listenFailure = async (port: number): Promise<ListenFailure | undefined> => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    return { port, code: (error as NodeJS.ErrnoException).code ?? 'unknown' };
  }
  const closed = once(server, 'close');
  server.close();
  await closed;
  return undefined;
};
