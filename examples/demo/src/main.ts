import { startSandbox } from '@portico/sandbox';
import { greeting } from './greeting.ts';
import { pagesDirectory } from './pages.ts';
import { PorticoStartError, startPortico } from './portico.ts';

const port = Number(process.env['PORT'] ?? 8080);
const firstPort = Number(process.env['SANDBOX_PORT'] ?? 8090);

const startsAt = (value: number) => Number.isInteger(value) && value > 0 && value < 65_500;

const start = async (): Promise<number> => {
  const sandbox = await startSandbox({
    firstPort,
    redirectUris: [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`],
  });
  try {
    const portico = await startPortico(
      { ...sandbox.settings(`http://127.0.0.1:${port}`), pages: { directory: pagesDirectory } },
      port,
      'inherit',
      port === 8080 ? '.portico/settings.json' : `.portico/settings-${port}.json`,
    );
    process.stdout.write(greeting(portico, sandbox));
    const stop = () => void portico.stop();
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, stop);
    return (await portico.ended) ?? 1;
  } finally {
    await sandbox.close();
  }
};

try {
  if (startsAt(port) && startsAt(firstPort)) process.exitCode = await start();
  else {
    process.stderr.write('PORT and SANDBOX_PORT must be port numbers from 1 to 65499.\n');
    process.exitCode = 2;
  }
} catch (error) {
  process.exitCode = 2;
  if (error instanceof PorticoStartError) process.stderr.write('\nTry another port: PORT=9080 npm start\n');
  else if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    process.stderr.write(
      `Port ${(error as { port?: number }).port} is already in use. ` +
        `The sandbox uses fourteen ports from ${firstPort} on. Choose others: SANDBOX_PORT=9090 npm start\n`,
    );
  else throw error;
}
