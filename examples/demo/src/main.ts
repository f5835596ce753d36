import { constants } from 'node:os';
import { startSandbox } from '@portico/sandbox';
import { demoArguments } from './terminal/arguments.ts';
import { examples, greeting } from './terminal/greeting.ts';
import { pagesDirectory, withSessions } from './pages.ts';
import { demoPorts, portProblem } from './port-check.ts';
import { PorticoStartError, startPortico } from './portico.ts';
import { readableLog } from './terminal/readable-log.ts';

const ports = demoPorts(process.env);

/** One Ctrl-C can arrive twice: from the terminal, and forwarded by npm. */
const echoMs = 500;

/** Aborted by the first signal. A later signal ends this process at once. */
const stopSignal = (): AbortSignal => {
  const controller = new AbortController();
  let firstAt: number | undefined;
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(name, () => {
      if (firstAt !== undefined && performance.now() - firstAt > echoMs) process.exit(128 + constants.signals[name]);
      firstAt ??= performance.now();
      controller.abort();
    });
  return controller.signal;
};

const serveUntil = async (signal: AbortSignal, withExamples: boolean): Promise<number> => {
  const { port, firstPort } = ports;
  const sandbox = await startSandbox({
    firstPort,
    network: true,
    redirectUris: [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`],
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    const settings = { ...withSessions(sandbox.settings(url), url), pages: { directory: pagesDirectory } };
    const portico = await startPortico(settings, port, {
      // The port is in the name, so that two processes never have the same file.
      config: port === 8080 ? '.portico/settings.json' : `.portico/settings-${port}.json`,
      onStderr: process.stderr.isTTY ? readableLog((text) => process.stderr.write(text)) : 'inherit',
      signal,
    });
    if (!signal.aborted)
      process.stdout.write((withExamples ? examples(portico, sandbox) : '') + greeting(portico, sandbox));
    return (await portico.ended) ?? 1;
  } finally {
    await sandbox.close();
  }
};

const main = async (): Promise<number> => {
  // A terminal that is closed is no error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const { withExamples, stdout = '', stderr = '', exitCode } = demoArguments(process.argv.slice(2));
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  if (exitCode !== undefined) return exitCode;
  const refusal = await portProblem(ports);
  if (refusal !== undefined) {
    process.stderr.write(`${refusal}\n`);
    return 2;
  }
  const signal = stopSignal();
  try {
    return await serveUntil(signal, withExamples);
  } catch (error) {
    if (signal.aborted) return 0;
    // Another process took a port after the check; or stderr of `portico serve` has the reason.
    const taken = await portProblem(ports);
    if (taken === undefined && !(error instanceof PorticoStartError)) throw error;
    process.stderr.write(taken === undefined ? '' : `${taken}\n`);
    return 2;
  }
};

process.exitCode = await main();
