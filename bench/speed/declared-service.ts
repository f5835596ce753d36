import { start, urlOf } from '../child-process.ts';
import { type Command, log, positiveNumber } from '../command.ts';
import { startPortico } from '../portico.ts';
import { createSigner, issuer } from '../tokens.ts';
import { getter, processorTimes } from './load/turns.ts';

/** The most that a declared service may cost above a built-in one: a share of the processor time per request. */
const maxExtra = 0.03;

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

/**
 * Processor time per request of a declared service beside a built-in one, in one process of Portico. The batches take turns,
 * so that both meet the same machine. The first argument is the duration in seconds.
 */
export const declaredService: Command = async ([seconds = String(defaultSeconds)], folder) => {
  const { portico, token } = await startServers(folder);
  const { get, close } = getter(urlOf(portico), { authorization: `Bearer ${token}` });
  const paths = [builtIn, declared];
  const operations = paths.map((path) => () => get(path));
  const perRequest = await processorTimes(portico, operations, positiveNumber(seconds));
  const extra = perRequest[1]! / perRequest[0]! - 1;
  for (const [index, path] of paths.entries())
    process.stdout.write(`${path.padEnd(14)} ${perRequest[index]!.toFixed(1)} µs of processor time per request\n`);
  log(`The declared service costs ${(extra * 100).toFixed(1)} % more; at most ${maxExtra * 100} % is allowed.`);
  await close();
  return extra <= maxExtra;
};
