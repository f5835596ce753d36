import { request } from 'undici';
import { start, urlOf } from '../../../child-process.ts';
import { log } from '../../../command.ts';
import { startPortico } from '../../../portico.ts';
import { median } from '../../../statistics.ts';
import { createSigner } from '../../../tokens.ts';
import { memberSettings } from '../../contenders/start-contender.ts';
import { concurrency, getter, processorTimes } from '../../load/turns.ts';
import type { Extent } from '../extent.ts';
import type { Row } from '../../../records/record.ts';

const title = 'GET /me with six parts of 1 kB, processor time beside six requests';

/** The most that a page may use, as a share of the processor time of six requests. */
const maxShare = 0.7;

/** Each part: its route, its service and the name of its path in the settings. */
const parts = [
  ['coverage', 'eligibility', 'coverage'],
  ['claims', 'claims', 'list'],
  ['documents', 'documents', 'list'],
  ['profile', 'policy', 'profile'],
  ['preferences', 'notifications', 'preferences'],
  ['consent', 'consent', 'get'],
] as const;

/** The downstream chooses its response by the last segment of the path: each part gets the same 1 kB. */
const settingsOf = (url: string) => {
  const settings = memberSettings(url);
  const downstreams = parts.map(([, service, path]) => [
    service,
    { url, paths: { [path]: '/{partyLocator}/coverage' } },
  ]);
  return { ...settings, log: { level: 'error' }, downstreams: Object.fromEntries(downstreams) };
};

/** The row of a page: one request with six parts beside a request for each part, in one process of Portico. */
export const measurePage = async ({ filter, folder, rounds, seconds }: Extent): Promise<Row[]> => {
  if (!title.includes(filter)) return [];
  const { jwks, sign } = await createSigner();
  const downstream = await start(new URL('../../load/downstream.ts', import.meta.url), { args: [jwks] });
  const headers = { authorization: `Bearer ${await sign({ sub: 'PTY-1' })}` };
  const shares: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const portico = await startPortico(settingsOf(urlOf(downstream)), folder);
    const { get, close } = getter(urlOf(portico), headers, concurrency * parts.length);
    const page = `/me?include=${parts.map(([name]) => name).join(',')}`;
    await requireWhole(urlOf(portico) + page, headers);
    const single = async () => {
      await Promise.all(parts.map(([name]) => get(`/me/${name}`)));
    };
    const [together = 0, apart = 0] = await processorTimes(portico, [() => get(page), single], seconds);
    log(`${title} | ${together.toFixed(0)} µs, ${apart.toFixed(0)} µs | ${(together / apart).toFixed(3)}`);
    shares.push(together / apart);
    await close();
    await portico.stop();
  }
  await downstream.stop();
  return [{ title, unit: '× of six', own: median(shares), goal: { atMost: maxShare } }];
};

/** A page whose parts fail would be cheap. */
const requireWhole = async (url: string, headers: Readonly<Record<string, string>>): Promise<void> => {
  const { body } = await request(url, { headers });
  const { partial, parts: found } = (await body.json()) as { readonly partial: boolean; readonly parts: object };
  if (partial || Object.keys(found).length !== parts.length) throw new Error('The page is not complete.');
};
