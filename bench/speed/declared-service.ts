import { Agent, request } from 'undici';
import { type Child, start, urlOf } from '../child-process.ts';
import { type Command, log } from '../command.ts';
import { startPortico } from '../portico.ts';
import { createSigner, issuer } from '../tokens.ts';
import { processorTime } from './load/process-usage.ts';

/** The most that a declared service may cost above a built-in one: a share of the processor time per request. */
const maxExtra = 0.03;

const batch = 500;
const concurrency = 8;
const defaultSeconds = 20;

const builtIn = '/me/coverage';
const declared = '/me/plans';

/** Starts Portico with a built-in service and a declared one, which send the same request to the same downstream. */
const startServers = async (folder: string) => {
  const { jwks, sign } = await createSigner();
  const downstream = await start(new URL('load/downstream.ts', import.meta.url), { args: [jwks] });
  const url = urlOf(downstream);
  const routes = { [`GET ${declared}`]: { path: '/members/{partyLocator}/coverage' } };
  const portico = await startPortico(
    {
      listen: { port: 0 },
      log: { level: 'error' },
      identity: { issuer, jwksUrl: `${url}/jwks` },
      downstreams: { eligibility: { url }, plans: { url, routes } },
      limits: { memberRequests: null },
    },
    folder,
  );
  return { portico, token: await sign({ sub: 'PTY-1' }) };
};

/** Sends one batch of requests, and returns the processor time that the server used, in milliseconds. */
const cpuOfBatch = async ({ pid }: Child, send: () => Promise<void>): Promise<number> => {
  const before = processorTime(pid);
  const worker = async () => {
    for (let sent = 0; sent < batch / concurrency; sent++) await send();
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return processorTime(pid) - before;
};

/**
 * Processor time per request of a declared service beside a built-in one, in one process of Portico. The batches take turns,
 * so that both meet the same machine. The first argument is the duration in seconds.
 */
export const declaredService: Command = async ([seconds = String(defaultSeconds)], folder) => {
  const { portico, token } = await startServers(folder);
  const dispatcher = new Agent({ connections: concurrency });
  const headers = { authorization: `Bearer ${token}` };
  const get = (path: string) => async () => {
    const { statusCode, body } = await request(urlOf(portico) + path, { dispatcher, headers });
    await body.dump();
    if (statusCode !== 200) throw new Error(`${path} returned ${statusCode}.`);
  };
  const paths = [builtIn, declared];
  for (const path of [...paths, ...paths, ...paths]) await cpuOfBatch(portico, get(path));
  const used = new Map(paths.map((path) => [path, 0]));
  const endAt = performance.now() + Number(seconds) * 1000;
  let rounds = 0;
  for (; performance.now() < endAt; rounds++)
    for (const path of rounds % 2 === 0 ? paths : paths.toReversed())
      used.set(path, used.get(path)! + (await cpuOfBatch(portico, get(path))));
  const perRequest = paths.map((path) => (used.get(path)! * 1000) / (rounds * batch));
  const extra = perRequest[1]! / perRequest[0]! - 1;
  for (const [index, path] of paths.entries())
    process.stdout.write(`${path.padEnd(14)} ${perRequest[index]!.toFixed(1)} µs of processor time per request\n`);
  log(`The declared service costs ${(extra * 100).toFixed(1)} % more; at most ${maxExtra * 100} % is allowed.`);
  await dispatcher.close();
  return extra <= maxExtra;
};
